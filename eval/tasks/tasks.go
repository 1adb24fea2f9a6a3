// Package tasks holds the graded tasks: a folder each, with its task.json and the files that it
// hands over.
package tasks

import "embed"

// Files are the tasks: NAME/task.json each, and what lies beside it.
//
//go:embed */*
var Files embed.FS

// Package tasks holds the graded tasks: a folder each, with its task.json.
package tasks

import "embed"

// Files are the tasks, NAME/task.json each.
//
//go:embed */task.json
var Files embed.FS

//go:build !unix

package scenario

import "testing"

var concurrent = []func(*testing.T){}

package browser_test

import (
	"crypto/rand"
	"time"
)

func randomText() string { return rand.Text() }

// second lets a second pass, for claims about what happens in one.
func second() { <-time.After(time.Second) }

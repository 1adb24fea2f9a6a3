// Package quiet keeps imported packages from writing to the log while they initialise: the library of metrics says on
// each start, so with each command, that a machine has no pressure stall information. Go initialises packages in the
// order of their paths as soon as their imports are, and this one imports less than they do.
package quiet

import (
	"io"
	"log"
	"os"
)

func init() { //nolint:gochecknoinits // nothing else is early enough
	log.SetOutput(io.Discard)
}

// End lets the log be read again: the program runs.
func End() { log.SetOutput(os.Stderr) }

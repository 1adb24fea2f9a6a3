package server

// openFiles is for other systems.
func openFiles() (most uint64, ok bool) { return 0, false }

package sqlite

// fileSizeLimit is for other systems.
func fileSizeLimit() (bytes uint64, ok bool) { return 0, false }

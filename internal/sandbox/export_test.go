package sandbox

// DropEvent takes the newest event out of a commit's body, as a store would
// that loses part of what it was given. It reports whether there was one.
func DropEvent(body []byte, version uint64) ([]byte, bool) {
	b, err := decodeCommit(body, version)
	if err != nil || len(b.Events) == 0 {
		return body, false
	}
	b.Events = b.Events[:len(b.Events)-1]
	return b.encode(), true
}

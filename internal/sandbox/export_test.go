package sandbox

import "bytes"

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

// OlderEngine returns the commit that made a sandbox as an engine before the
// first one would have written it.
func OlderEngine(body []byte) ([]byte, error) {
	payload, _, err := unpack(body)
	if err != nil {
		return nil, err
	}
	older := bytes.Replace(payload, []byte(`"engine":1`), []byte(`"engine":0`), 1)
	if bytes.Equal(older, payload) {
		return nil, errBody
	}
	return pack(older), nil
}

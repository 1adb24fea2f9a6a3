package wire

import "strings"

// MatchesTag reports whether If-None-Match names a tag, compared weakly (RFC 9110, 13.1.2).
func MatchesTag(sent []string, tag string) bool {
	opaque := strings.TrimPrefix(tag, "W/")
	for _, header := range sent {
		for candidate := range strings.SplitSeq(header, ",") {
			candidate = strings.TrimSpace(candidate)
			if candidate == "*" || strings.TrimPrefix(candidate, "W/") == opaque {
				return true
			}
		}
	}
	return false
}

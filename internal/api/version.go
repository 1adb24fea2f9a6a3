package api

import (
	"platen/internal/api/message"
	"platen/internal/words/wire"
)

// wantedVersion refuses a version that there is not.
func wantedVersion(sent []string) error {
	if len(sent) == 1 && sent[0] == wire.Version {
		return nil
	}
	if len(sent) > 1 {
		return badParameter(wire.HeaderVersion, "The header %s is given %d times.", wire.HeaderVersion, len(sent))
	}
	return badParameter(wire.HeaderVersion, "There is no version %q of this API; there is %s.",
		message.Short(sent[0]), wire.Version).
		Hinting("Send %s: %s, or leave the header out.", wire.HeaderVersion, wire.Version)
}

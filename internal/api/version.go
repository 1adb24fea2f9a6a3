package api

import "net/http"

// Version is the dated version of the API (contract: ENV.META.API_VERSION).
// It is the only one so far; a second one makes this a list, and the version a
// property of the sandbox.
const Version = "2026-09"

// headerVersion asks for a dated version (contract: OPEN.VER.SELECT).
const headerVersion = "Sim-Version"

// wantedVersion refuses a version that there is not.
func wantedVersion(h http.Header) error {
	sent := h[headerVersion]
	if len(sent) == 0 || len(sent) == 1 && sent[0] == Version {
		return nil
	}
	if len(sent) > 1 {
		return badParameter(headerVersion, "The header %s stands %d times.", headerVersion, len(sent))
	}
	return badParameter(headerVersion, "There is no version %q of this API; there is %s.", short(sent[0]), Version).
		Hinting("Send %s: %s, or leave the header out.", headerVersion, Version)
}

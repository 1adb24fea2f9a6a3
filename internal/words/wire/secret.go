package wire

import (
	"bytes"
	"slices"
)

// Prefixes of texts that open a sandbox: the keys of its systems, the key by which its players are graded, tokens of
// reviewers' links, and handles of agents.
const (
	OfficePrefix  = "lab_off_"
	FactoryPrefix = "lab_fac_"
	GradingPrefix = "lab_grd_"
	ReviewPrefix  = "lab_rev_"
	HandlePrefix  = "sbh_"
)

// Secrets lists the prefixes of all texts that open a sandbox.
func Secrets() []string {
	return []string{OfficePrefix, FactoryPrefix, GradingPrefix, ReviewPrefix, HandlePrefix}
}

// WebhookSecretPrefix begins the secrets that sign deliveries.
const WebhookSecretPrefix = "whsec_"

// MayHaveSecret reports whether a text may have a secret of Platen in it. It looks at the underscores alone, of which a
// text has few: it is asked of the bodies of all requests.
func MayHaveSecret(text []byte) bool {
	for from := 0; ; {
		at := bytes.IndexByte(text[from:], '_')
		if at < 0 {
			return false
		}
		from += at + 1
		if slices.ContainsFunc(ends, func(end []byte) bool { return bytes.HasSuffix(text[:from], end) }) {
			return true
		}
	}
}

// ends are the prefixes up to their first underscore.
//
//nolint:gochecknoglobals // read only
var ends = [][]byte{[]byte("lab_"), []byte("sbh_"), []byte("whsec_")}

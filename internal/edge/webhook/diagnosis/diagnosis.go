// Package diagnosis explains why the signature of a webhook does not fit. It is
// given the request that a receiver got and tries the mistakes that people
// make, one after the other, until one of them explains the signature.
package diagnosis

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// tolerance is the largest difference between a timestamp and the clock
// (contract: LIMIT.SIGNATURE_AGE).
const tolerance = 300 * time.Second

// Capture is the request that a receiver got, with the secret and other facts
// that the receiver has.
type Capture struct {
	Header http.Header
	// Body is the raw body: the bytes as they came.
	Body []byte
	// Secret is the one that the receiver uses, OldSecret the one from before a
	// rotation, which may be empty.
	Secret, OldSecret string
	// Computed is the signature that the receiver's own code computes, empty
	// when it is not known.
	Computed string
	// Now is the receiver's clock at the time it got the request.
	Now time.Time
}

// Code names a mistake.
type Code string

// Codes.
const (
	HeaderMissing       Code = "header_missing"
	TimestampMalformed  Code = "timestamp_malformed"
	ClockOff            Code = "clock_off"
	VersionUnknown      Code = "signature_version_unknown"
	SecretMalformed     Code = "secret_malformed"
	SecretPrefixMissing Code = "secret_prefix_missing"
	SecretNotDecoded    Code = "secret_not_decoded"
	SecretURLSafe       Code = "secret_url_safe"
	SecretPadded        Code = "secret_has_extra_characters"
	SecretWrong         Code = "secret_wrong"
	OldSecret           Code = "old_secret"
	BodyEnding          Code = "body_ending_changed"
	BodyReserialised    Code = "body_reserialised"
	BodyChanged         Code = "body_changed"
	ComputedOtherwise   Code = "computed_differently"
)

// Finding is one fault.
type Finding struct {
	Code Code `json:"code"`
	// Certain is set when the signature proves it. Otherwise it is likely.
	Certain bool `json:"certain"`
	// Text describes the fault and its remedy.
	Text string `json:"text"`
}

// Report is the result of an examination.
type Report struct {
	// Verified is set when a correct receiver accepts the request: a signature
	// fits and the timestamp is near enough.
	Verified bool `json:"verified"`
	// Genuine is set when a signature fits the request as it was captured.
	Genuine  bool      `json:"genuine"`
	Findings []Finding `json:"findings"`
}

func (r *Report) add(code Code, certain bool, format string, values ...any) {
	r.Findings = append(r.Findings, Finding{code, certain, fmt.Sprintf(format, values...)})
}

// Examine reports whether a correct receiver accepts the request, and the
// faults found. It never fails: a part that cannot be read is a finding.
func Examine(c *Capture) Report {
	r := Report{Findings: []Finding{}}
	id, stamp, signatures := header(c.Header, "webhook-id"), header(c.Header, "webhook-timestamp"),
		header(c.Header, "webhook-signature")
	for name, value := range map[string]string{
		"webhook-id": id, "webhook-timestamp": stamp, "webhook-signature": signatures,
	} {
		if value == "" {
			r.add(HeaderMissing, true, "The header %s is missing or empty. "+
				"Something between the sender and this program took it away, or it was not captured.", name)
		}
	}
	slices.SortFunc(r.Findings, func(a, b Finding) int { return strings.Compare(a.Text, b.Text) })
	timely, readable := r.clock(stamp, c.Now)
	if id == "" || signatures == "" || !readable {
		return r // the signed bytes cannot be known
	}
	m := message{id: id, stamp: stamp, signatures: r.versions(signatures)}
	if len(m.signatures) > 0 {
		r.Genuine = r.secrets(c, &m)
	}
	r.Verified = r.Genuine && timely
	if r.Genuine && c.Computed != "" {
		r.computed(c, &m)
	}
	return r
}

// header finds a header however its name is written.
func header(h http.Header, name string) string {
	for key, values := range h {
		if strings.EqualFold(key, name) && len(values) > 0 {
			return strings.TrimSpace(values[0])
		}
	}
	return ""
}

// clock compares the timestamp with the receiver's clock.
func (r *Report) clock(stamp string, now time.Time) (timely, readable bool) {
	if stamp == "" {
		return false, false
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	const millisecondsFrom = 1e11 // the year 5138, in seconds
	switch {
	case err != nil:
		r.add(TimestampMalformed, true,
			"webhook-timestamp is %q. It must be whole seconds since 1970; it was changed on the way.", shorten(stamp))
		return false, false
	case seconds > millisecondsFrom:
		r.add(TimestampMalformed, true,
			"webhook-timestamp is %d, which looks like milliseconds. It is sent in seconds.", seconds)
		return false, false
	}
	off := now.Sub(time.Unix(seconds, 0)).Truncate(time.Second)
	switch {
	case off > tolerance:
		r.add(ClockOff, true, "The request was signed %v ago by this clock, and more than %v is rejected. "+
			"It is an old request, or this clock is fast.", off, tolerance)
	case off < -tolerance:
		r.add(ClockOff, true,
			"The request was signed %v in the future of this clock, and more than %v is rejected. This clock is slow.",
			-off, tolerance)
	default:
		return true, true
	}
	return false, true
}

// versions returns the signatures of version 1.
func (r *Report) versions(list string) []string {
	var known, other []string
	for entry := range strings.FieldsSeq(list) {
		if signature, ok := strings.CutPrefix(entry, "v1,"); ok && signature != "" {
			known = append(known, signature)
			continue
		}
		other = append(other, entry)
	}
	if len(known) == 0 {
		r.add(VersionUnknown, true, "webhook-signature has no entry that begins with \"v1,\" (it begins with %q). "+
			"Use the unchanged header, with its commas and spaces.", shorten(other[0]))
	}
	return known
}

// shorten keeps outside input on one line when it is shown.
func shorten(text string) string {
	const most = 24
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}

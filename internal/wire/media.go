package wire

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// charsets are the spellings of encodings in which every JSON text is read as UTF-8.
//
//nolint:gochecknoglobals // read only
var charsets = map[string]bool{"": true, "utf-8": true, "utf8": true, "us-ascii": true, "ascii": true}

// DeclaredJSON reports whether the body of a request is declared as JSON, and the charset that is declared with it where
// that is not UTF-8 by any of its names. JSON defines no parameters (RFC 8259, 11), so others have no effect, nor have
// those that cannot be read.
func DeclaredJSON(h http.Header) (declared bool, otherCharset string) {
	sent := h.Get("Content-Type")
	media, _, _ := strings.Cut(sent, ";")
	if !strings.EqualFold(strings.TrimSpace(media), "application/json") {
		return false, ""
	}
	_, parameters, _ := mime.ParseMediaType(sent)
	charset := strings.Trim(parameters["charset"], `'`)
	if charsets[strings.ToLower(charset)] {
		return true, ""
	}
	return true, charset
}

// Coding is the encoding of a request's body, "" where that is none or identity.
func Coding(h http.Header) string {
	sent := strings.Join(h.Values("Content-Encoding"), ",")
	for coding := range strings.SplitSeq(sent, ",") {
		if coding = strings.TrimSpace(coding); coding != "" && !strings.EqualFold(coding, "identity") {
			return sent
		}
	}
	return ""
}

// TakesGzip reports whether a response may be compressed (RFC 9110, 12.5.3): gzip is named, or everything is, and not
// with a weight of 0.
func TakesGzip(h http.Header) bool {
	taken, named := false, false
	for offer := range strings.SplitSeq(strings.Join(h.Values("Accept-Encoding"), ","), ",") {
		name, weight, weighed := strings.Cut(offer, ";")
		quality := 1.0
		if parameter, text, _ := strings.Cut(weight, "="); weighed && strings.EqualFold(strings.TrimSpace(parameter), "q") {
			var err error
			if quality, err = strconv.ParseFloat(strings.TrimSpace(text), 64); err != nil {
				quality = 0
			}
		}
		switch name = strings.ToLower(strings.TrimSpace(name)); {
		case name == "gzip" || name == "x-gzip":
			taken, named = quality > 0, true
		case name == "*" && !named:
			taken = quality > 0
		}
	}
	return taken
}

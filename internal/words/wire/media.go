package wire

import (
	"iter"
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// charsets are the spellings of encodings in which every JSON text is read as UTF-8.
//
//nolint:gochecknoglobals // read only
var charsets = map[string]bool{"": true, "utf-8": true, "utf8": true, "us-ascii": true, "ascii": true}

// DeclaredJSON reports whether the body of a request is declared as JSON, and returns the charset that is declared with
// it where that is not UTF-8 by any of its names. JSON defines no parameters (RFC 8259, 11), so others have no effect,
// nor have those that cannot be read.
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
		name, weight, _ := strings.Cut(offer, ";")
		quality := 1.0
		if parameter, text, _ := strings.Cut(weight, "="); strings.EqualFold(strings.TrimSpace(parameter), "q") {
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

// Of Accept, the first maxAccept bytes and maxRanges media ranges are read (contract: OPEN.HTTP.ACCEPT): it is read
// before any budget is looked at, also for those who are banned.
const (
	maxAccept = 1 << 10
	maxRanges = 16
)

// Accepted yields the media ranges of Accept in lower case, each with its weight from 0 to 1. A range whose weight
// cannot be read is left out.
func Accepted(h http.Header) iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		rest := head(h.Values("Accept"))
		for n := 0; rest != "" && n < maxRanges; {
			var one string
			if one, rest = cut(rest, ','); strings.TrimSpace(one) == "" {
				continue
			}
			n++
			media, parameters := cut(one, ';')
			media = strings.ToLower(strings.TrimSpace(media))
			if media == "*" { // Java's short form
				media = "*/*"
			}
			if weight, ok := weightIn(parameters); ok && !yield(media, weight) {
				return
			}
		}
	}
}

// head is the part of Accept that is read, without a range that is cut.
func head(lines []string) string {
	if len(lines) == 1 && len(lines[0]) <= maxAccept {
		return lines[0]
	}
	var b strings.Builder
	for _, line := range lines {
		if left := maxAccept - b.Len(); len(line) > left {
			b.WriteString(line[:max(0, strings.LastIndexByte(line[:left], ','))])
			break
		}
		b.WriteString(line)
		if b.Len() == maxAccept {
			break
		}
		b.WriteByte(',')
	}
	return b.String()
}

// cut cuts a text around the first separator that is in no quoted string.
func cut(text string, separator byte) (before, after string) {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == separator && !quoted:
			return text[:i], text[i+1:]
		}
	}
	return text, ""
}

// weightIn reads the parameter q, a decimal fraction from 0 to 1; without it the weight is 1. The digit before the
// point may be missing, as it is in requests of Java.
func weightIn(parameters string) (weight float64, ok bool) {
	for parameters != "" {
		var parameter string
		parameter, parameters = cut(parameters, ';')
		name, text, _ := strings.Cut(parameter, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "q") {
			continue
		}
		text = strings.Trim(strings.TrimSpace(text), `"`)
		if strings.Trim(text, "0123456789.") != "" {
			return 0, false // ParseFloat reads NaN and hexadecimals, too
		}
		weight, err := strconv.ParseFloat(text, 64)
		return weight, err == nil && weight <= 1
	}
	return 1, true
}

// Named is the specificity of a range that is a media type itself.
const Named = 3

// Weight returns the weight of a media type in Accept, and the specificity of the range that decides it, the most
// specific one: Named for the type itself, 0 where there is none. Of equal ranges the first counts.
func Weight(h http.Header, media string) (weight float64, specificity int) {
	kind, _, _ := strings.Cut(media, "/")
	for one, q := range Accepted(h) {
		rank := 0
		switch one {
		case media:
			rank = Named
		case kind + "/*":
			rank = 2
		case "*/*":
			rank = 1
		}
		if rank > specificity {
			weight, specificity = q, rank
		}
	}
	return weight, specificity
}

package diagnosis

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
)

// computed finds the mistake in a signature that the receiver's own code
// computed.
func (r *Report) computed(c *Capture, m *message) {
	own := strings.TrimPrefix(strings.TrimSpace(c.Computed), "v1,")
	if slices.Contains(m.signatures, own) {
		return
	}
	right := keys(c.Secret)[0].bytes
	for _, way := range []struct {
		key, content []byte
		text         string
	}{
		{right, c.Body,
			"it signs the body alone. The signed content is webhook-id, a dot, webhook-timestamp, a dot, and the body"},
		{right, []byte(m.stamp + "." + string(c.Body)), "it leaves webhook-id out of the signed content"},
		{right, []byte(m.id + "." + string(c.Body)), "it leaves webhook-timestamp out of the signed content"},
		{right, []byte(m.id + m.stamp + string(c.Body)), "it leaves the dots out of the signed content"},
		{[]byte(c.Secret), []byte(m.id + "." + m.stamp + "." + string(c.Body)),
			"its key is the text of the secret. Decode the part behind whsec_ from base64"},
		{[]byte(strings.TrimPrefix(c.Secret, secretPrefix)), []byte(m.id + "." + m.stamp + "." + string(c.Body)),
			"its key is the part behind whsec_ as text. Decode it from base64"},
	} {
		h := hmac.New(sha256.New, way.key)
		h.Write(way.content)
		if isWritten(own, h.Sum(nil)) {
			r.add(ComputedOtherwise, true, "The request is genuine. Your code computes another signature: %s.",
				way.text)
			return
		}
	}
	if isWritten(own, m.sign(right, c.Body)) {
		r.add(ComputedOtherwise, true, "The request is genuine. Your code computes the right signature and writes it "+
			"in another form: it must be standard base64 with its padding, not hexadecimal or URL-safe.")
		return
	}
	for _, b := range remade(c.Body) {
		if isWritten(own, m.sign(right, b)) {
			r.add(BodyReserialised, true, "The request is genuine. Your code signs a body that it has parsed and "+
				"written again; sign the raw bytes.")
			return
		}
	}
	r.add(ComputedOtherwise, false, "The request is genuine. Your code computes another signature, and none of the "+
		"usual mistakes explains it. Compare, byte for byte, what it signs.")
}

// isWritten reports whether a text is a digest in some encoding.
func isWritten(text string, digest []byte) bool {
	bare := strings.TrimRight(text, "=")
	return text == base64.StdEncoding.EncodeToString(digest) || bare == base64.RawStdEncoding.EncodeToString(digest) ||
		bare == base64.RawURLEncoding.EncodeToString(digest) || strings.EqualFold(text, hex.EncodeToString(digest))
}

// remade are bodies as parsers and printers of several languages write them.
func remade(raw []byte) [][]byte {
	var two, four bytes.Buffer
	var ways [][]byte
	var value any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return nil
	}
	if sorted, err := json.Marshal(value); err == nil {
		ways = append(ways, sorted)
	}
	if json.Indent(&two, raw, "", "  ") == nil && json.Indent(&four, raw, "", "    ") == nil {
		ways = append(ways, two.Bytes(), four.Bytes())
	}
	return append(ways, spaced(raw), append(bytes.Clone(raw), '\n'))
}

// spaced writes JSON as Python does: with a space behind colons and commas.
func spaced(raw []byte) []byte {
	var b bytes.Buffer
	inString := false
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		b.WriteByte(c)
		switch {
		case inString && c == '\\' && i+1 < len(raw):
			i++
			b.WriteByte(raw[i])
		case c == '"':
			inString = !inString
		case !inString && (c == ':' || c == ','):
			b.WriteByte(' ')
		}
	}
	return b.Bytes()
}

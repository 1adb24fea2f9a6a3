package diagnosis

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
)

const (
	secretPrefix = "whsec_"
	// signatureVersion is before a signature. Some services put it before their secrets, too.
	signatureVersion = "v1,"
)

// message is the signed text, but for the body.
type message struct {
	id, stamp  string
	signatures []string
}

// sign returns the signature of a body by a key.
func (m *message) sign(key, body []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(m.id + "." + m.stamp + "."))
	h.Write(body)
	return h.Sum(nil)
}

// fits returns the place of the signature that a body and a key explain, -1 for
// none.
func (m *message) fits(key, body []byte) int {
	want := []byte(base64.StdEncoding.EncodeToString(m.sign(key, body)))
	return slices.IndexFunc(m.signatures, func(s string) bool { return hmac.Equal([]byte(s), want) })
}

// key is one way to make a key of a secret.
type key struct {
	bytes   []byte
	mistake Code
	text    string
}

// keys are the ways in which people read a secret, the right one first.
func keys(secret string) []key {
	trimmed := strings.Trim(secret, " \t\r\n\"'`")
	bare, versioned := strings.CutPrefix(trimmed, signatureVersion)
	inner := strings.TrimPrefix(bare, secretPrefix)
	var ways []key
	if decoded, err := base64.StdEncoding.DecodeString(inner); err == nil {
		switch {
		case versioned:
			ways = append(ways, key{
				decoded, SecretPadded, "The secret has v1, before it, as some services show it. Without that it fits.",
			})
		case trimmed != secret:
			ways = append(ways, key{
				decoded, SecretPadded, "The secret has spaces, quotes or a line break around it. Without them it fits.",
			})
		case inner == bare:
			ways = append(ways, key{decoded, SecretPrefixMissing, "The secret lacks the prefix whsec_. " +
				"It works, but libraries that require the prefix reject it."})
		default:
			ways = append(ways, key{bytes: decoded})
		}
	}
	standard := strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(inner, "="))
	if decoded, err := base64.RawStdEncoding.DecodeString(standard); err == nil {
		ways = append(ways, key{decoded, SecretURLSafe, "The secret is in URL-safe base64 (with - and _) or lacks " +
			"its padding. Secrets are standard base64 (with + and /): use it unchanged."})
	}
	return append(ways,
		key{[]byte(trimmed), SecretNotDecoded, "It was signed with the text of the secret as the key. " +
			"The key is the part behind whsec_, decoded from base64."},
		key{[]byte(inner), SecretNotDecoded,
			"It was signed with the part behind whsec_ as text. That part must be decoded from base64 to be the key."},
	)
}

// secrets looks for the secret and the body that explain a signature. It
// reports whether the given ones do.
func (r *Report) secrets(c *Capture, m *message) bool {
	current, old := keys(c.Secret), []key(nil)
	if c.OldSecret != "" {
		old = keys(c.OldSecret)
	}
	if current[0].mistake == SecretNotDecoded {
		r.add(SecretMalformed, true,
			"The secret is not base64 behind whsec_. Use it unchanged, as you got it at creation or rotation.")
	}
	for _, k := range current {
		place := m.fits(k.bytes, c.Body)
		if place < 0 {
			continue
		}
		if place > 0 {
			r.add(OldSecret, true, "It fits the second signature, so this is the secret from before a rotation. "+
				"It stops signing a day after that.")
		}
		if k.mistake != "" {
			r.add(k.mistake, true, "%s", k.text)
		}
		return k.mistake == "" || k.mistake == SecretPrefixMissing
	}
	for _, k := range old {
		if m.fits(k.bytes, c.Body) >= 0 {
			r.add(OldSecret, true, "It was signed with the old secret only: "+
				"it was sent before the rotation, or the new secret belongs to another subscription.")
			return true
		}
	}
	for _, b := range bodies(c.Body) {
		for _, k := range slices.Concat(current, old) {
			if m.fits(k.bytes, b.bytes) >= 0 {
				r.add(b.mistake, true, "%s", b.text)
				if k.mistake != "" {
					r.add(k.mistake, true, "%s", k.text)
				}
				return false
			}
		}
	}
	r.guess(c, m)
	return false
}

// guess reports the likely causes when nothing explains a signature.
func (r *Report) guess(c *Capture, m *message) {
	var read struct {
		ID string `json:"id"`
	}
	spaced := bytes.Contains(c.Body, []byte(`": `)) || bytes.Contains(c.Body, []byte("\n"))
	switch err := json.Unmarshal(c.Body, &read); {
	case len(c.Body) == 0:
		r.add(BodyChanged, true, "The body is empty. Something read it before it was captured.")
	case err != nil:
		r.add(BodyChanged, true, "The body is not JSON, so it is not the signed body. "+
			"Capture the raw bytes, before anything decodes them.")
	case read.ID != m.id:
		r.add(BodyChanged, true,
			"The body has the id %q and webhook-id is %q: they belong to different requests, or the body was changed.",
			shorten(read.ID), shorten(m.id))
	case spaced:
		r.add(BodyReserialised, false, "The body looks as if it had been parsed and written again: "+
			"it is sent without spaces. Verify the raw bytes, before they are parsed.")
	default:
		r.add(SecretWrong, false,
			"No signature matches this secret. It is likely that of another subscription or sandbox, or from before a "+
				"rotation. GET /webhooks says when a secret was rotated; rotate it again when it is lost.")
		r.add(BodyChanged, false, "If the secret is right, the body was changed: "+
			"a value, the order of its fields, or how a character is written.")
	}
}

// body is one way in which a body may have been changed.
type body struct {
	bytes   []byte
	mistake Code
	text    string
}

// bodies undo the changes that are made to bodies before they are verified.
func bodies(raw []byte) []body {
	const ending = "The body has other white space at its beginning or end than the signed one: " +
		"a line break was added or taken away when it was read, logged or saved."
	var ways []body
	add := func(b []byte, mistake Code, text string) {
		if !bytes.Equal(b, raw) {
			ways = append(ways, body{b, mistake, text})
		}
	}
	trimmed := bytes.TrimSpace(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf")))
	add(trimmed, BodyEnding, ending)
	for _, end := range []string{"\n", "\r\n"} {
		add(append(bytes.Clone(trimmed), end...), BodyEnding, ending)
	}
	add(bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n")), BodyEnding,
		"Its line breaks were changed from LF to CR LF. Read and keep the body as bytes, not as text.")
	const again = "The body was parsed and written again: %s. Verify the raw bytes, before they are parsed."
	var compact bytes.Buffer
	if json.Compact(&compact, trimmed) == nil {
		add(compact.Bytes(), BodyReserialised, strings.Replace(again, "%s", "it has spaces that were not sent", 1))
		add(plain(compact.Bytes()), BodyReserialised,
			strings.Replace(again, "%s", "characters are escaped that were not", 1))
	}
	return ways
}

// plain writes the escapes of JSON that need none as the characters they are.
func plain(compact []byte) []byte {
	var b bytes.Buffer
	// Strings are replaced where they are, so nothing else moves.
	rest := compact
	for {
		begin := bytes.IndexByte(rest, '"')
		if begin < 0 {
			b.Write(rest)
			return b.Bytes()
		}
		end := begin + 1
		for end < len(rest) && rest[end] != '"' {
			if rest[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(rest) {
			b.Write(rest)
			return b.Bytes()
		}
		b.Write(rest[:begin])
		b.Write(unescaped(rest[begin : end+1]))
		rest = rest[end+1:]
	}
}

// unescaped writes a string again with as few escapes as can be.
func unescaped(quoted []byte) []byte {
	var text string
	if json.Unmarshal(quoted, &text) != nil {
		return quoted
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(text) != nil {
		return quoted
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

package api

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// FuzzKeysAreFoundInAnyURL: a key is found wherever it is and however often any
// of its letters is percent-encoded, and what is found is a key
// (OPEN.AUTH.KEY_SHAPES).
func FuzzKeysAreFoundInAnyURL(f *testing.F) {
	for _, seed := range []struct {
		before, after string
		depth         uint8
		letters       uint64
	}{
		{"/v1/sandbox?k=", "&x=y", 0, 0},
		{"/%", "%2", 2, 1},
		{"/%6", "c", 1, 1},
		{"/lab_off_", "", 1, 1 << 50},
		{"/%25%32", "%", 9, 1<<51 - 1},
		{"/%2%35", "%ZZ", 40, 1},
		{"/lab_fac_" + strings.Repeat("a", 43), "lab_off_" + strings.Repeat("b", 43), 3, 7},
	} {
		f.Add(seed.before, seed.after, seed.depth, seed.letters)
	}
	key := "lab_off_" + strings.Repeat("aZ0_-", 8) + "xyz"
	f.Fuzz(func(t *testing.T, before, after string, depth uint8, letters uint64) {
		var spelled strings.Builder
		for i := range len(key) {
			if letters>>i&1 == 0 || depth == 0 {
				spelled.WriteByte(key[i])
				continue
			}
			spelled.WriteString("%" + strings.Repeat("25", int(depth)-1) + fmt.Sprintf("%02x", key[i]))
		}
		url := before + spelled.String() + after
		found := keysIn(&http.Request{RequestURI: url})
		if len(found) < maxKeys && !slices.Contains(found, key) {
			t.Errorf("the key is not found in %q", url)
		}
		if want := keysInPlain(decodedWhole(url)); !slices.Equal(found, want[:min(len(want), maxKeys)]) {
			t.Errorf("in %q are found %q, want %q", url, found, want)
		}
	})
}

var encodedOctet = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)

// decodedWhole decodes a text until there is nothing left to decode.
func decodedWhole(text string) string {
	for {
		decoded := encodedOctet.ReplaceAllStringFunc(text, func(octet string) string {
			var b byte
			fmt.Sscanf(octet, "%%%02x", &b)
			return string([]byte{b})
		})
		if decoded == text {
			return text
		}
		text = decoded
	}
}

// keysInPlain lists all that has the shape of a key, those of Head Office
// first.
func keysInPlain(text string) []string {
	var keys []string
	for _, prefix := range []string{"lab_off_", "lab_fac_"} {
		shape := regexp.MustCompile("^" + prefix + "[A-Za-z0-9_-]{43}")
		for i := range len(text) {
			if key := shape.FindString(text[i:]); key != "" && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// TestALongURLIsSearchedOnce: an encoding of encodings is no way to keep the
// server busy.
func TestALongURLIsSearchedOnce(t *testing.T) {
	t.Parallel()
	key := "lab_fac_" + strings.Repeat("k", 43)
	url := "/%" + strings.Repeat("25", 1<<20) + "6cab_fac_" + key[8:]
	if found := keysIn(&http.Request{RequestURI: url}); !slices.Equal(found, []string{key}) {
		t.Errorf("found are %q", found)
	}
}

// TestALineIsSearchedAsItComes: a key is found wherever a line is cut in pieces, and little of the line is kept.
func TestALineIsSearchedAsItComes(t *testing.T) {
	t.Parallel()
	key := "lab_off_" + strings.Repeat("aZ0_-", 8) + "xyz"
	for _, before := range []int{0, 1, pieceBytes - 60, pieceBytes - 20, pieceBytes, 3*pieceBytes - 30, 1 << 20} {
		for _, spelled := range []string{key, "%6cab" + key[3:], "%25%36cab" + key[3:]} {
			text := []byte("GET /v1/" + strings.Repeat("x", before) + spelled + " HTTP/1.1\r\nHost: localhost\r\n")
			for _, piece := range []int{7, 1000, 4096, len(text)} {
				var l Line
				for part := range slices.Chunk(text, piece) {
					l.Add(part)
				}
				if !l.Whole() || !slices.Equal(l.Keys(), []string{key}) {
					t.Errorf("%s behind %d bytes, in pieces of %d: found are %q", spelled, before, piece, l.Keys())
				}
				if kept := cap(l.piece) + cap(l.text); kept > 16<<10 {
					t.Errorf("of a line of %d bytes %d are kept", len(text), kept)
				}
			}
		}
	}
	var body Line
	body.Add([]byte(`{"key": "` + key + `"}` + strings.Repeat(" ", 2*pieceBytes)))
	if found := body.Keys(); len(found) > 0 {
		t.Errorf("in a body are found %q", found)
	}
}

package schema

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	edlib "github.com/hbollon/go-edlib"
)

// maxEcho is how many characters of a client's value a message repeats: enough
// to find it, too few to carry anything.
const maxEcho = 40

// quote shows a client's text: in double quotes, cut to maxEcho characters,
// with everything escaped that cannot be printed.
func quote(text string) string {
	cut := len(text)
	n := 0
	for at := range text {
		if n == maxEcho {
			cut = at
			break
		}
		n++
	}
	shown := strconv.Quote(text[:cut])
	if cut < len(text) {
		return shown[:len(shown)-1] + `…"`
	}
	return shown
}

// clip is quote without the quotes.
func clip(text string) string {
	shown := quote(text)
	return shown[1 : len(shown)-1]
}

// join appends a field to the path of its object. A name that is not plain is
// in brackets and quotes.
func join(path, name string) string {
	switch {
	case !isPlain(name):
		return path + "[" + quote(name) + "]"
	case path == "":
		return name
	}
	return path + "." + name
}

func isPlain(name string) bool {
	for i := range len(name) {
		c := name[i]
		if c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return name != "" && len(name) <= maxEcho
}

// describe names a value in a sentence.
func (v *value) describe() string {
	switch v.kind {
	case jsontext.KindString:
		return "the string " + quote(v.text)
	case jsontext.KindNumber:
		return clip(v.text)
	default:
		return noun(v.kind)
	}
}

func noun(kind jsontext.Kind) string {
	switch kind {
	case jsontext.KindNull:
		return "null"
	case jsontext.KindTrue:
		return "true"
	case jsontext.KindFalse:
		return "false"
	case jsontext.KindString:
		return "a string"
	case jsontext.KindNumber:
		return "a number"
	case jsontext.KindBeginArray:
		return "an array"
	default:
		return "an object"
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// choice lists alternatives: "auto" or "manual".
func choice(alternatives []string, show func(string) string) string {
	var b strings.Builder
	for i, alternative := range alternatives {
		switch {
		case i == 0:
		case i == len(alternatives)-1:
			b.WriteString(" or ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(show(alternative))
	}
	return b.String()
}

// suggest ends the sentence about an unknown field with the known one that was
// probably meant, or with all that there are.
func (s *shape) suggest(name string) string {
	nearest, least := "", maxEcho
	for _, m := range s.members {
		if d := edlib.OSADamerauLevenshteinDistance(folded(name), folded(m.name)); d < least {
			nearest, least = m.name, d
		}
	}
	if nearest != "" && least <= len(nearest)/3 {
		return fmt.Sprintf("; did you mean %s?", nearest)
	}
	if len(s.members) == 0 {
		return "; this object has no fields."
	}
	known := make([]string, len(s.members))
	for i, m := range s.members {
		known[i] = m.name
	}
	return "; known here: " + strings.Join(known, ", ") + "."
}

// folded drops the differences of naming conventions: workOrderId is
// work_order_id.
func folded(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name[:min(len(name), maxEcho+1)]))
}

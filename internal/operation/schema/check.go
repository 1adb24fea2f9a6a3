package schema

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"platen/internal/words/problem"
)

// Rules that JSON Schema has no keyword for.
const (
	ruleUnknown = "unknown"
	ruleInteger = "integer"
	ruleNumber  = "number"
)

// checker walks a body along its shape and lists the faults, in the order of
// the struct: one entry for a field, with the first rule that it breaks.
type checker struct {
	fields   []problem.Field
	unlisted int
	// respelled is set when an integer was written with a point or an exponent.
	respelled bool
}

// broken lists a field. The message goes on after the field's path.
func (c *checker) broken(path, rule, format string, values ...any) {
	if len(c.fields) == MaxFields {
		c.unlisted++
		return
	}
	c.fields = append(c.fields,
		problem.Field{Field: path, Rule: rule, Message: path + " " + fmt.Sprintf(format, values...)})
}

func (c *checker) value(s *shape, v *value, path string) {
	if v.kind == jsontext.KindNull && (s.nullable || s.form == formAny) {
		return
	}
	if !s.form.takes(v.kind) {
		wanted := string(s.form)
		if s.nullable {
			wanted += " or null"
		}
		c.broken(path, "type", "must be %s; it is %s.", wanted, v.describe())
		return
	}
	switch s.form {
	case formObject:
		c.object(s, v, path)
	case formMapping:
		c.mapping(s, v, path)
	case formArray:
		c.array(s, v, path)
	case formString:
		c.text(s, v, path)
	case formInteger:
		c.integer(s, v, path)
	case formNumber:
		c.number(s, v, path)
	case formAny:
		if hidden := v.control(); hidden != "" && !s.verbatim {
			c.broken(path, "pattern", "must not contain control characters; it contains %s.", hidden)
		}
	case formBoolean:
	}
}

// takes says whether a value of a kind can be of the form.
func (f form) takes(kind jsontext.Kind) bool {
	switch f {
	case formObject, formMapping:
		return kind == jsontext.KindBeginObject
	case formArray:
		return kind == jsontext.KindBeginArray
	case formString:
		return kind == jsontext.KindString
	case formInteger, formNumber:
		return kind == jsontext.KindNumber
	case formBoolean:
		return kind == jsontext.KindTrue || kind == jsontext.KindFalse
	case formAny:
	}
	return true
}

func (c *checker) object(s *shape, v *value, path string) {
	found := make([]*value, len(s.members))
	var unknown []string
	for i, name := range v.names {
		if at, ok := s.index[name]; ok {
			found[at] = v.values[i]
			continue
		}
		unknown = append(unknown, name)
	}
	for i, m := range s.members {
		at := join(path, m.name)
		switch {
		case found[i] != nil:
			c.value(m.shape, found[i], at)
		case m.required:
			c.broken(at, "required", "is required and missing.")
		}
	}
	c.oneOf(s, found, path)
	for _, name := range unknown {
		if len(c.fields) == MaxFields {
			c.unlisted++ // not worth a search for the nearest name
			continue
		}
		c.broken(join(path, name), ruleUnknown, "is not known%s", s.suggest(name))
	}
}

// oneOf refuses fields that exclude each other, and the lack of any.
func (c *checker) oneOf(s *shape, found []*value, path string) {
	var sent, known []string
	null := false
	for _, at := range s.oneOf {
		known = append(known, s.members[at].name)
		switch {
		case found[at] == nil:
		case found[at].kind == jsontext.KindNull:
			null = true // which is refused by itself
		default:
			sent = append(sent, s.members[at].name)
		}
	}
	switch {
	case len(known) == 0 || len(sent) == 1:
	case len(sent) == 0 && null:
	case len(sent) == 0:
		c.broken(join(path, known[0]), "required", "is required, or one of %s in its place.",
			strings.Join(known[1:], ", "))
	default:
		c.broken(join(path, sent[1]), "oneOf", "cannot be sent together with %s.", sent[0])
	}
}

func (c *checker) mapping(s *shape, v *value, path string) {
	if !c.counts(s, len(v.names), path, "Properties", "field") {
		return
	}
	for i, name := range v.names {
		at := join(path, name)
		if hidden := control(name); hidden != "" {
			c.broken(at, "pattern", "must not have control characters in its name; it has %s.", hidden)
			continue
		}
		c.value(s.element, v.values[i], at)
	}
}

func (c *checker) array(s *shape, v *value, path string) {
	if c.counts(s, len(v.values), path, "Items", "item") && s.unique {
		c.unique(s, v, path)
	}
	for i, item := range v.values {
		c.value(s.element, item, path+"["+strconv.Itoa(i)+"]")
	}
}

func (c *checker) unique(s *shape, v *value, path string) {
	seen := make(map[string]int, len(v.values))
	for i, item := range v.values {
		if !s.element.form.takes(item.kind) {
			continue // the item's own mistake
		}
		text := item.text
		if item.kind == jsontext.KindNumber {
			if plain, ok := plainInteger(text); ok {
				text = plain
			}
		}
		first, repeated := seen[text]
		if repeated {
			c.broken(path, "uniqueItems", "must not name anything twice; the items %d and %d are both %s.",
				first, i, item.describe())
			return
		}
		seen[text] = i
	}
}

// counts checks the number of characters, items or fields against the limits.
func (c *checker) counts(s *shape, n int, path, keyword, noun string) bool {
	switch {
	case n < s.least:
		c.broken(path, "min"+keyword, "must have at least %s; it has %d.", plural(s.least, noun), n)
	case n > s.most:
		c.broken(path, "max"+keyword, "must have at most %s; it has %d.", plural(s.most, noun), n)
	default:
		return true
	}
	return false
}

func (c *checker) text(s *shape, v *value, path string) {
	if hidden := control(v.text); hidden != "" && !s.verbatim {
		c.broken(path, "pattern", "must not contain control characters; it contains %s.", hidden)
		return
	}
	if len(s.enum) > 0 && !slices.Contains(s.enum, v.text) {
		c.broken(path, "enum", "must be %s; it is %s.", choice(s.enum, quote), v.describe())
		return
	}
	if !c.counts(s, utf8.RuneCountInString(v.text), path, "Length", "character") {
		return
	}
	switch {
	case s.pattern != nil && !s.pattern.MatchString(v.text):
		c.broken(path, "pattern", "must %s; it is %s.", described(s.pattern, s.patternText), v.describe())
	case s.format == formatDate && !isDate(v.text):
		c.broken(path, "format", "must be a day of the calendar, written like 2026-09-07; it is %s.", v.describe())
	case s.format == formatTime && !isTime(v.text):
		c.broken(path, "format", "must be a time, written like 2026-09-07T08:30:00Z; it is %s.", v.describe())
	}
}

func described(pattern *regexp.Regexp, text string) string {
	if text != "" {
		return "be " + text
	}
	return "match the pattern " + pattern.String()
}

func isDate(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// isTime takes RFC 3339 without the additional forms that package time lets
// pass: a comma before the fraction, an hour of one digit, an offset of more
// than a day. In UTC the year still has four digits.
func isTime(text string) bool {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || strings.ContainsRune(text, ',') || text[len("2006-01-02T15")] != ':' {
		return false
	}
	if zone := text[len(text)-len("+00:00"):]; text[len(text)-1] != 'Z' && (zone[1:3] > "23" || zone[4:] > "59") {
		return false
	}
	year := t.UTC().Year()
	return year >= 0 && year <= 9999
}

func (c *checker) integer(s *shape, v *value, path string) {
	n, err := strconv.ParseInt(v.text, 10, 64)
	if plain, ok := plainInteger(v.text); ok && plain != v.text {
		v.text, c.respelled = plain, true
		n, err = strconv.ParseInt(plain, 10, 64)
	}
	switch {
	case err != nil:
		c.broken(path, ruleInteger, "must be a whole number that fits 64 bits; it is %s.", v.describe())
	case len(s.enum) > 0 && !slices.Contains(s.enum, v.text):
		c.broken(path, "enum", "must be %s; it is %s.", choice(s.enum, clip), v.describe())
	default:
		c.within(s, float64(n), v, path) // exact up to limits of maxExact
	}
}

// plainInteger spells the literal of a number without a fraction in plain digits: 60.0, 6e1 and
// 600e-1 are 60. It is false for a number with a fraction, and for one of more than 19 digits.
func plainInteger(literal string) (string, bool) {
	sign, rest := "", literal
	if rest[0] == '-' {
		sign, rest = "-", rest[1:]
	}
	mantissa, power, _ := strings.Cut(strings.ToLower(rest), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return "0", true
	}
	significant := strings.TrimRight(digits, "0")
	exponent := len(digits) - len(significant) - len(fraction)
	if power != "" {
		n, err := strconv.Atoi(power) // a body is too short for a power that an int does not hold to matter
		if err != nil {
			return "", false
		}
		exponent += n
	}
	const most = 19
	if exponent < 0 || exponent > most || len(significant)+exponent > most {
		return "", false
	}
	return sign + significant + strings.Repeat("0", exponent), true
}

func (c *checker) number(s *shape, v *value, path string) {
	n, _ := strconv.ParseFloat(v.text, 64) // infinite where it does not fit
	c.within(s, n, v, path)
}

func (c *checker) within(s *shape, n float64, v *value, path string) {
	switch {
	case n < s.minimum:
		c.broken(path, "minimum", "must be at least %s; it is %s.",
			strconv.FormatFloat(s.minimum, 'f', -1, 64), v.describe())
	case n > s.maximum:
		c.broken(path, "maximum", "must be at most %s; it is %s.",
			strconv.FormatFloat(s.maximum, 'f', -1, 64), v.describe())
	case math.IsInf(n, 0):
		c.broken(path, ruleNumber, "must be a number that fits 64 bits; it is %s.", v.describe())
	}
}

// turning are the characters that turn the direction of reading up to their end, and so show another text than there
// is. Marks such as U+200E, which are in ordinary Arabic and Hebrew, turn nothing but their neighbours.
//
//nolint:gochecknoglobals // read only
var turning = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x202a, Hi: 0x202e, Stride: 1}, {Lo: 0x2066, Hi: 0x2069, Stride: 1},
}}

// control returns the first control character of a string, named like U+0007.
func control(text string) string {
	for _, char := range text {
		if unicode.IsControl(char) || unicode.Is(turning, char) {
			return fmt.Sprintf("%U", char)
		}
	}
	return ""
}

// control returns the first control character anywhere in a free value.
func (v *value) control() string {
	if v.kind == jsontext.KindString {
		return control(v.text)
	}
	for _, name := range v.names {
		if hidden := control(name); hidden != "" {
			return hidden
		}
	}
	for _, child := range v.values {
		if hidden := child.control(); hidden != "" {
			return hidden
		}
	}
	return ""
}

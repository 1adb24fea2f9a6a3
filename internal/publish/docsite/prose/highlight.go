package prose

import (
	"regexp"
	"strings"
)

// Piece is a run of code of one colour.
type Piece struct {
	Text string
	// Class is comment, string, number, word, member, command, office, factory
	// or empty.
	Class string
}

// Classes of a piece. The keys of the two systems have the colours of the
// systems, and scripts find them by these classes.
//
//nolint:gochecknoglobals // read only
var classes = []string{"comment", "office", "factory", "member", "string", "number", "word", "command"}

// Patterns that several languages share. None of them matches nothing.
const (
	never     = `\z.`
	hash      = `(?m:(?:^|\s)#[^\n]*)`
	slashes   = `(?m:(?:^|\s)//[^\n]*)`
	quoted    = `"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'`
	backticks = "|`[^`]*`"
	digits    = `\b\d[\d_.]*\b`
	office    = `\$\{?PLATEN_OFFICE_KEY\}?|/v1/office\b[^\s"'?]*`
	factory   = `\$\{?PLATEN_FACTORY_KEY\}?|/v1/factory\b[^\s"']*`
)

// lexers has one pattern for each language, its groups in the order of classes.
var lexers = map[string]*regexp.Regexp{ //nolint:gochecknoglobals // read only
	"sh": lexer(hash, office, factory, never, `'[^'\n]*'`, never,
		`export if then fi for in do done while until`, `curl platen jq docker go psql`),
	"json":   lexer(never, never, never, `"[^"\n]*"(?:\s*:)`, quoted, `-?`+digits, `true false null`, ""),
	"output": lexer(never, never, never, `"[^"\n]*"(?:\s*:)`, quoted, never, `true false null`, ""),
	"http":   lexer(never, never, never, `(?m:^[A-Za-z-]+:)`, never, never, `GET POST PATCH DELETE HTTP`, ""),
	"yaml":   lexer(hash, office, factory, `(?m:^[\s-]*[a-z_-]+:)`, quoted, digits, `true false null`, ""),
	"toml":   lexer(hash, never, never, `(?m:^[a-z_]+)`, quoted, digits, `true false`, ""),
	"go": lexer(slashes, never, never, never, quoted+backticks, digits,
		`break case chan const continue default defer else for func go if import interface map nil package range `+
			`return select struct switch type var true false`, ""),
	"python": lexer(hash, never, never, never, `(?s:""".*?""")|`+quoted, digits,
		`and as assert async await class def elif else except False finally for from if import in is lambda None not `+
			`or pass raise return True try while with yield`, ""),
	"javascript": lexer(slashes, never, never, never, quoted+backticks, digits,
		`async await break case catch class const continue else export false finally for from function if import in `+
			`instanceof let new null of return this throw true try typeof undefined while`, ""),
	"java": lexer(slashes, never, never, never, quoted, digits, `boolean byte catch class else final finally `+
		`for if import int long new null private public return static throw throws true false try var void while`, ""),
	"php": lexer(slashes, never, never, never, quoted, digits,
		`catch else elseif exit foreach for function if new null return static throw true false try while`, ""),
	"ruby": lexer(hash, never, never, never, quoted, digits, `begin class def do else elsif end ensure false `+
		`if module next nil require rescue return self then true unless until while yield`, ""),
}

// lexer joins the patterns of a language, one for each class. The last two are
// lists of words.
func lexer(patterns ...string) *regexp.Regexp {
	for i := len(patterns) - 2; i < len(patterns); i++ {
		patterns[i] = anyOf(patterns[i])
	}
	return regexp.MustCompile(`(` + strings.Join(patterns, `)|(`) + `)`)
}

func anyOf(words string) string {
	if words == "" {
		return never
	}
	return `\b(?:` + strings.ReplaceAll(words, " ", "|") + `)\b`
}

// Pieces splits code of a language by colour. Joined again they are the code.
func Pieces(language, text string) []Piece {
	pattern := lexers[language]
	if pattern == nil {
		return []Piece{{Text: text}}
	}
	var out []Piece
	at := 0
	for _, span := range pattern.FindAllStringSubmatchIndex(text, -1) {
		for i, class := range classes {
			from, to := span[2*i+2], span[2*i+3]
			if from < 0 || from == to {
				continue
			}
			if from > at {
				out = append(out, Piece{Text: text[at:from]})
			}
			out = append(out, keyed(Piece{Text: text[from:to], Class: class})...)
			at = to
		}
	}
	if at < len(text) {
		out = append(out, Piece{Text: text[at:]})
	}
	return out
}

// keys finds the places of keys in a string.
var keys = regexp.MustCompile(`\$PLATEN_(?:OFFICE|FACTORY)_KEY\b`)

// keyed takes the places of keys out of a string: they have the colours of the
// systems there too.
func keyed(p Piece) []Piece {
	if p.Class != "string" {
		return []Piece{p}
	}
	var out []Piece
	at := 0
	for _, span := range keys.FindAllStringIndex(p.Text, -1) {
		class := "office"
		if strings.HasPrefix(p.Text[span[0]:], "$PLATEN_FACTORY") {
			class = "factory"
		}
		out = append(out, Piece{p.Text[at:span[0]], p.Class}, Piece{p.Text[span[0]:span[1]], class})
		at = span[1]
	}
	return append(out, Piece{p.Text[at:], p.Class})
}

package main

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// partWords are house words that count wherever they are a word of an
// identifier, as in newHouse. A plural counts as well.
var partWords = strings.Fields("house household resident errand conduct deed calmed farewell foreclosed")

// wholeWords are house words that are words of the trade too, or of Go, inside
// longer identifiers. They count when they are all of an identifier, whatever
// the case of its first letter.
var wholeWords = strings.Fields(`heat desk lane habit walk stretch ride book books settle look enter leave standing
	stands told serves attend inside take demand front visit greet turnAway register`)

// mostSuffix ends the names of limits, as in fileLinesMost.
const mostSuffix = "Most"

var (
	personalSubject = regexp.MustCompile(
		`(?:^|[.!?]\s+)(What|what|Who|who|Whoever|whoever|Nobody|nobody|Somebody|somebody)\b`)
	personalWord = regexp.MustCompile(`(?i)\b(whoever|nobody|somebody)\b`)
)

// measureWords counts the words of this house that stand in for words of the
// field: in the names of packages, types, functions, methods and constants, and
// in comments.
func (m *module) measureWords() []figure {
	words := map[string]int{}
	note := func(name string) {
		if w := houseWord(name); w != "" {
			words[w]++
		}
	}
	for _, u := range m.packages {
		if u.path != ownFolder {
			note(u.name)
		}
	}
	var subjects, lines [2]int // of the program, of tests
	sentences := map[string]int{}
	for _, f := range m.files {
		if !f.byHand() {
			continue
		}
		side := 0
		if isTest(f.path) {
			side = 1
		} else {
			f.eachDeclared(note)
		}
		for _, group := range f.syntax.Comments {
			for line := range strings.Lines(group.Text()) {
				if personalWord.MatchString(line) {
					lines[side]++
				}
			}
			for paragraph := range strings.SplitSeq(group.Text(), "\n\n") {
				n := len(personalSubject.FindAllString(strings.ReplaceAll(paragraph, "\n", " "), -1))
				subjects[side] += n
				if n > 0 {
					sentences[f.path] += n
				}
			}
		}
	}
	total := 0
	for _, n := range words {
		total += n
	}
	list := tally(words)
	return []figure{
		count("house words declared in the program", total,
			"most: "+strings.Join(list[:min(len(list), 6)], ", "), list),
		{
			name:  "comment sentences that begin with what, who, whoever, nobody, somebody",
			value: strconv.Itoa(subjects[0]), tests: strconv.Itoa(subjects[1]),
			note: "of a paragraph or after . ! ?", details: tally(sentences),
		},
		{name: "comment lines with whoever, nobody, somebody", value: strconv.Itoa(lines[0]),
			tests: strconv.Itoa(lines[1])},
	}
}

// houseWord returns the house word that an identifier has, "" for none.
func houseWord(name string) string {
	first := strings.ToLower(name[:1]) + name[1:]
	if slices.Contains(wholeWords, first) {
		return first
	}
	if strings.HasSuffix(name, mostSuffix) {
		return "..." + mostSuffix
	}
	for _, w := range splitIdentifier(name) {
		if w = strings.TrimSuffix(w, "s"); slices.Contains(partWords, w) {
			return w
		}
	}
	return ""
}

// splitIdentifier returns the words of an identifier in lower case.
func splitIdentifier(name string) []string {
	spaced := make([]rune, 0, 2*len(name))
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) {
			spaced = append(spaced, ' ')
		}
		spaced = append(spaced, unicode.ToLower(r))
	}
	return strings.Fields(strings.ReplaceAll(string(spaced), "_", " "))
}

// eachDeclared goes through the types, functions, methods and constants of a
// file.
func (s *source) eachDeclared(see func(name string)) {
	for _, declaration := range s.syntax.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			see(d.Name.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch x := spec.(type) {
				case *ast.TypeSpec:
					see(x.Name.Name)
				case *ast.ValueSpec:
					for _, name := range x.Names {
						if d.Tok == token.CONST {
							see(name.Name)
						}
					}
				}
			}
		}
	}
}

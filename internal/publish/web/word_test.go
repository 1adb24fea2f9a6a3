package web_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"html"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"platen/internal/operation"
	"platen/internal/publish/openapi"
)

// wording is a turn that readers stumble over: why, and how to say it. The test of the table
// wants bad to be found and good to pass.
type wording struct {
	pattern, reason, better, bad, good string
	// except matches words around a hit that make it good English after all.
	except string
}

// wordings are looked for without regard to case. A line is a paragraph, a cell, a message or a
// description. Answer stays where the trade means it, of an order or a lot, and call where it is
// a tool call of an agent.
var wordings = []wording{
	{
		pattern: `(?m)(?:^|[.:;!?] )(?-i:What|Who)\b[^.?!\n]*[.;:!](?:\s|$)`,
		reason:  "a clause is no subject", better: "name the actor or the thing, and begin with the verb",
		bad: "What the server sends is in the feed.", good: "The feed has all that the server sends. What now?",
	},
	{
		pattern: `\b(?:who(?:so)?ever|some(?:body|one)|nobody|no one)\b`,
		reason:  "the actor has no name", better: "you, the client, a person, an operator",
		bad: "Nobody reads the key again.", good: "The server does not show the key again.",
	},
	{
		pattern: `\brefus(?:e[ds]?|als?|ing)\b`,
		reason:  "a request fails with an error", better: "returns an error, fails, rejects",
		bad: "Unknown fields are refused.", good: "Unknown fields return an error.",
	},
	{
		pattern: `\bmembers?\b`,
		reason:  "JSON objects have fields here", better: "field",
		bad: "Each member has a name.", good: "Each field has a name.",
	},
	{
		pattern: `\b(?:tenants?|callers?)\b`,
		reason:  "two words for one thing", better: "sandbox; client",
		bad: "The caller sends its key.", good: "The client sends its key.",
	},
	{
		pattern: `\b(?:is answered|answers? (?:with|is|was)|(?:the|first|second|every|this) answer)\b`,
		reason:  "HTTP has responses", better: "response, responds",
		bad: "Every answer has an id.", good: "Every response has an id. The order waits for your answer.",
	},
	{
		pattern: `\b(?:the|same|every|each|this|an?|of|api|http) calls?\b`,
		reason:  "HTTP has requests", better: "request",
		bad: "The same calls meet the same faults.", good: "The same requests meet the same faults. A tool call waits.",
	},
	{
		pattern: `\b(?:company|customer|client)[- ]sessions?\b`,
		reason:  "two words for one thing", better: "sandbox",
		bad: "A company-session ends after a day.", good: "A sandbox ends after a day.",
	},
	{
		pattern: `\b(?:put(?:s|ting)? (?:it |them |this )?right|mend(?:s|ed|ing)?)\b`,
		reason:  "old-fashioned", better: "fix, correct",
		bad: "The command mends it.", good: "The command fixes it.",
	},
	{
		pattern: `\b(?:dear|dearer|dearest)\b`,
		reason:  "old-fashioned of prices", better: "expensive, costly",
		bad: "Paper is dearer today.", good: "Paper is more expensive today.",
	},
	{
		pattern: `\b(?:should one|one's own|as one (?:likes|wants|pleases))\b`,
		reason:  "speak to the reader", better: "if you, your own",
		bad: "Should one print null, run it again.", good: "If a command prints null, run it again.",
	},
	{
		pattern: `\bfor good\b`,
		reason:  "means two things", better: "permanently, for ever",
		bad: "The key is lost for good.", good: "The key is lost permanently.",
	},
	{
		pattern: `\bas (?:it|they|he|she) should\b`,
		reason:  "says too little", better: "correct, valid, or the rule itself",
		bad: "Two fields are not as they should be.", good: "Two fields are invalid.",
	},
	{
		pattern: `\bstands? in (?:` + "`" + `|the (?:row|feed|list|field|body|header|log)|data)\b`,
		reason:  "data do not stand", better: "is in",
		bad:  "The key stands in the header.",
		good: "The key is in the header. A second worker stands in for one who is ill.",
	},
	{
		pattern: `\b(?:hears?|heard) of\b`,
		reason:  "programs do not hear", better: "knows, gets, is notified of",
		bad: "Your program never hears of it.", good: "Your program is not notified.",
	},
	{
		pattern: `\b(?:would|will|may) come of\b`,
		reason:  "poetic", better: "the result",
		bad: "A dry run says what would come of it.", good: "A dry run returns the result.",
	},
	{
		pattern: `\bis to (?:go|happen|come)\b`,
		reason:  "stilted", better: "will be removed, should happen",
		bad: "The operation is to go.", good: "The operation will be removed.",
	},
	{
		pattern: `\blook(?:s|ed)? (?:whether|if)\b`,
		reason:  "stilted", better: "check whether",
		bad: "Look whether the shelf lasts.", good: "Check whether the shelf lasts.",
	},
	{
		pattern: `\b(?:lest|whence|whereby|thereof|therein|herein|hither|whilst|alas|henceforth|thrice|'tis)\b`,
		reason:  "poetic or legal", better: "plain words",
		bad: "Keep the secret, lest you lose it.", good: "Keep the secret so that you do not lose it.",
	},
}

// all are the wordings of both tables.
func all() []wording { return slices.Concat(wordings, translated) }

// compiled has the expressions of wordings by their patterns.
var compiled = sync.OnceValue(func() map[string]*regexp.Regexp {
	expressions := map[string]*regexp.Regexp{}
	for _, w := range all() {
		expressions[w.pattern] = regexp.MustCompile(`(?i)` + w.pattern)
		if w.except != "" {
			expressions[w.except] = regexp.MustCompile(`(?i)` + w.except)
		}
	}
	return expressions
})

// found returns where a wording is found in a text, with the words around it.
func (w *wording) found(text string) []string {
	var hits []string
	for _, at := range compiled()[w.pattern].FindAllStringIndex(text, -1) {
		if near := text[max(0, at[0]-16):min(len(text), at[1]+16)]; w.except != "" &&
			compiled()[w.except].MatchString(near) {
			continue
		}
		around := text[max(0, at[0]-60):min(len(text), at[1]+60)]
		hits = append(hits, strings.ToValidUTF8(strings.Join(strings.Fields(around), " "), ""))
	}
	return hits
}

func TestEveryWordingCatchesItsBadExampleOnly(t *testing.T) {
	t.Parallel()
	for _, w := range all() {
		if len(w.found(w.bad)) == 0 {
			t.Errorf("%s does not find %q", w.pattern, w.bad)
		}
		for _, other := range all() {
			if hits := other.found(w.good); len(hits) > 0 {
				t.Errorf("%s finds %q", other.pattern, hits)
			}
		}
		if w.reason == "" || w.better == "" {
			t.Errorf("%s says no reason or no better wording", w.pattern)
		}
	}
}

// TestTextsAreInPlainEnglish reads the pages of the docs, with which come the guides, all commands
// with their help, and the texts of operations, events, missions, presets and settings; the
// OpenAPI document; the sentences in the code, with which come messages and hints; and the
// console; and the documents beside the code. The landing page and the decision records are held
// to the table of translated turns alone; the handbook and the stories of the world may be witty.
func TestTextsAreInPlainEnglish(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	pageTexts(t, texts)
	documentTexts(t, texts)
	codeTexts(t, texts)
	consoleTexts(t, texts)
	if len(texts) < 1500 {
		t.Fatalf("only %d texts were found", len(texts))
	}
	front := frontTexts(t)
	maps.Copy(front, texts)
	// Two of three lines are in several pages: the first of them is read. A file's lines are cut anywhere.
	read := map[string]bool{}
	for _, witty := range []bool{false, true} {
		for _, where := range slices.Sorted(maps.Keys(front)) {
			if witty != (where == "/" || strings.Contains(where, "/adr/")) {
				continue
			}
			end := "\n"
			if strings.HasSuffix(where, ".md") {
				end = "\n\n"
			}
			for line := range strings.SplitSeq(front[where], end) {
				if read[line] {
					continue
				}
				read[line] = true
				for _, w := range all() {
					if witty && !slices.Contains(translated, w) {
						continue
					}
					for _, hit := range w.found(line) {
						t.Errorf("%s: %s. Better: %s.\n\t%s", where, w.reason, w.better, hit)
					}
				}
			}
		}
	}
}

var (
	blockEnds = regexp.MustCompile(`</(?:p|li|td|th|h[1-6]|dt|dd|summary|figcaption|div|a|tr)>|<br>`)
	tags      = regexp.MustCompile(`<[^>]*>`)
	spans     = regexp.MustCompile("`[^`\n]*`")
	inCode    = regexp.MustCompile(`(?s)<(pre|code|script|style)\b.*?</(pre|code|script|style)>`)
)

func pageTexts(t *testing.T, into map[string]string) {
	t.Helper()
	for path, body := range documents(t) {
		if path == "/docs/handbook" || path == "/" {
			continue
		}
		_, main, _ := strings.Cut(body, `<main id="main">`)
		main = inCode.ReplaceAllString(main, "`code`")
		main = strings.ReplaceAll(main, "\n", " ")
		main = tags.ReplaceAllString(blockEnds.ReplaceAllString(main, "\n"), "")
		var lines []string
		for line := range strings.SplitSeq(html.UnescapeString(main), "\n") {
			lines = append(lines, strings.Join(strings.Fields(line), " "))
		}
		into[path] = strings.Join(lines, "\n")
	}
}

// frontTexts are the landing page, the documents at the root, and the decision records.
func frontTexts(t *testing.T) map[string]string {
	t.Helper()
	page := inCode.ReplaceAllString(documents(t)["/"], "`code`")
	page = tags.ReplaceAllString(blockEnds.ReplaceAllString(page, "\n"), "")
	front := map[string]string{"/": html.UnescapeString(page)}
	for _, pattern := range []string{"../../../*.md", "../../../docs/*.md", "../../../docs/adr/*.md"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			front[path] = spans.ReplaceAllString(string(raw), "`code`")
		}
	}
	return front
}

func documentTexts(t *testing.T, into map[string]string) {
	t.Helper()
	raw, err := openapi.Document(operation.Table(), "http://127.0.0.1:8080/v1", "0")
	if err != nil {
		t.Fatal(err)
	}
	var document any
	if err := json.Unmarshal(raw, &document); err != nil {
		t.Fatal(err)
	}
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, value := range v {
				if text, ok := value.(string); ok && (name == "description" || name == "summary") {
					into["openapi "+at] += text + "\n"
				} else if name != "examples" && name != "example" {
					walk(at+"/"+name, value)
				}
			}
		case []any:
			for i, value := range v {
				walk(at+"/"+strconv.Itoa(i), value)
			}
		}
	}
	walk("", document)
}

// codeTexts takes the sentences among the texts of the program: those that begin with a capital
// letter and hold a space. Texts that are joined with + are one.
func codeTexts(t *testing.T, into map[string]string) {
	t.Helper()
	sentence := regexp.MustCompile(`^[A-Z][a-z'’-]* `)
	for _, folder := range []string{"../../../internal", "../../../cmd", "../../../platentest"} {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
				strings.Contains(path, "test/") || strings.Contains(path, "company/lore/") ||
				strings.HasSuffix(path, "internal/publish/web/landing.go") {
				return err
			}
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, path, nil, 0)
			if err != nil {
				return err //nolint:wrapcheck // the test shows it
			}
			ast.Inspect(file, func(n ast.Node) bool {
				e, ok := n.(ast.Expr)
				if !ok {
					return true
				}
				text, ok := joined(e)
				if ok && sentence.MatchString(text) {
					into[fset.Position(n.Pos()).String()] = text
				}
				return !ok
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// joined is the text of a literal, or of a sum in which there is one.
func joined(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return "", false
		}
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		left, isText := joined(e.X)
		right, isTextToo := joined(e.Y)
		return left + right, e.Op == token.ADD && (isText || isTextToo)
	default:
		return "", false
	}
}

// consoleTexts takes what a reader of the console's scripts sees: quoted texts with a space,
// texts between tags, and lines of templates that are only words.
func consoleTexts(t *testing.T, into map[string]string) {
	t.Helper()
	unread := regexp.MustCompile(`(?m)^\s*(?://|\*|/\*).*$|\s// .*$|\$\{[^{}]*\}`)
	shown := regexp.MustCompile(`(?m)'([^'\n]* [^'\n]*)'|"([^"\n]* [^"\n]*)"|>([^<>{}=;()]+)<|^ *([A-Z][^<>{}=;()]*)$`)
	paths, err := filepath.Glob("static/console/*.js")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scripts of the console: %v", err)
	}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range shown.FindAllStringSubmatch(unread.ReplaceAllString(string(raw), ""), -1) {
			into[path] += strings.TrimSpace(strings.Join(match[1:], "")) + "\n"
		}
	}
}

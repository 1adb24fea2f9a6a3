package web_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// translated are turns that read as if they had been translated.
var translated = []wording{
	{
		pattern: `\b(?:SO|PO|WO|CI|SI|SHF|SHO|FR|RQ)-0\d*\b`,
		reason:  "numbers begin with another digit", better: "SO-1001, WO-3001, SHF-6001",
		bad: "The number on paper, such as SHF-0001.", good: "The number on paper, such as SHF-6001.",
	},
	{
		pattern: `\bon purpose\b`,
		reason:  "the field says inject", better: "injected faults, inject a fault",
		bad: "A plan says what goes wrong on purpose.", good: "A plan injects faults.",
	},
	{
		pattern: `\b(?:br(?:ing|ings|inging|ought)(?: \S+){0,3} about|c[oa]m(?:e|es|ing) about` +
			`|lets?(?: \S+){1,3} happen)\b`,
		reason: "the field says trigger", better: "trigger",
		bad: "Bring a strike about.", good: "Trigger a strike. The console shows events as they happen.",
	},
	{
		pattern: `\bwants? (?:an?|the|its|no|both|one|that|` + "`" + `)`, except: `\b(?:you|customers?|who) wants? `,
		reason: "an operation has no wishes", better: "requires, needs",
		bad: "The operation wants a key.", good: "The operation requires a key. A customer wants a reprint.",
	},
	{
		pattern: `\b(?:is|are|was|were|be|been|being|gets?)(?: [a-z]+ly| not| never| also)? made\b`,
		except:  `\bmade (?:up|of|from|public|in time)\b`,
		reason:  "records are created, goods are printed", better: "created, printed, sent",
		bad: "An invoice is made when the truck leaves.", good: "An invoice is created. Its customer is made up.",
	},
	{
		pattern: `\b(?:is|are|was|were) no [a-z` + "`" + `]`,
		except:  `(?:\b(?:there|where) (?:is|are|was|were) no |\b(?:is|are|was|were) no longer\b)`,
		reason:  "translated", better: "is not a, is invalid",
		bad: "This text is no key.", good: "This text is not a key. There is no account.",
	},
	{
		pattern: `\bnot at all\b|\bwhen empty\b`,
		reason:  "say what the value does", better: "0 disables it, disabled by default",
		bad: "0 is not at all. None when empty.", good: "0 disables the limit. Disabled by default.",
	},
	{
		pattern: `\bthat which\b|\bonly (?:to )?looks?\b`,
		reason:  "translated", better: "the X that; read-only",
		bad: "A link for a person who is only to look.", good: "Share a read-only link.",
	},
	{
		pattern: `\bso many\b|\bso much\b`, except: `so many that`,
		reason: "the number has a name", better: "`days` working days",
		bad: "Lasts for so many working days.", good: "Lasts `days` working days.",
	},
	{
		pattern: `\b(?:stand|stands|stood|standing) (?:in|on|at|for|beside|before|behind|above|below` +
			`|under|there|with|as|next)\b`,
		except: `\bstand(?:s|ing)? in for\b`,
		reason: "data do not stand", better: "is",
		bad: "The total stands beside the name.", good: "The total is next to the name.",
	},
	{
		pattern: `\bas (?:it|they|he) (?:is|are|was|were|stands?|came|comes?)\b`, except: `as they are \w+ed\b`,
		reason: "translated", better: "unchanged",
		bad: "The body arrives as it was sent. The command runs as it stands.", good: "The body arrives unchanged.",
	},
	{
		pattern: `\bfrom \S+(?: %)? over \S+(?: %)? to\b`,
		reason:  "translated", better: "min, median, max",
		bad: "Scores go from 82463 over 82468 to 82623.", good: "min 82,463 · median 82,468 · max 82,623",
	},
	{
		pattern: `\bby hand\b`,
		reason:  "the field says manual", better: "manual, yourself",
		bad: "A bridge by hand leaves this to you.", good: "With a manual bridge, your program does this.",
	},
	{
		pattern: `\b(?:is|are|was|were) (?:not |only |never )*to (?:be |go |have )?[a-z]`,
		reason:  "stilted", better: "must, should, will",
		bad: "The key is to be kept secret.", good: "Keep the key secret. The price changed from 3 to 4.",
	},
	{
		pattern: `\bsuch an?\b|\bno such\b`,
		reason:  "stilted", better: "this, like this; not found",
		bad: "Such a sandbox never ends.", good: "This sandbox never ends. A mock, such as a stub.",
	},
	{
		pattern: `\b(?:in|at|into|has|have|takes?|get|gets|leaves?|needs?|find|keeps?) (?:a|its|their` +
			`|no|the) places?\b`,
		reason: "translated", better: "slot, position, or the thing itself",
		bad: "Each record has a place.", good: "Each record has an address. The meeting takes place.",
	},
	{
		pattern: `\b(?:does|do|did|happens?|comes?|goes|go|runs?) (?:it )?(?:by|of) (?:itself|themselves)\b`,
		reason:  "translated", better: "automatically, on its own",
		bad: "The world does it by itself.", good: "It happens automatically.",
	},
	{
		pattern: `\b(?:signature|key|secret|version|checksum|sum)s? (?:does not|do not|that) fits?\b`,
		reason:  "translated", better: "is valid, is invalid, matches",
		bad: "The signature does not fit.", good: "The signature is invalid.",
	},
}

// inComments are the turns that comments do without.
var inComments = regexp.MustCompile(`(?i)\b(?:is|are) what\b|\bon purpose\b|\bwho(?:so)?ever\b|\bthat which\b|` +
	`\bbr(?:ing|ings|ought) about\b|\bcom(?:e|es|ing) about\b|\bcame about\b|\bneeds somebody\b|` +
	`\bstands? (?:in|on|at|beside|before|behind)\b|\bas (?:it|they) stands?\b`)

// commentMarks begin a comment, by the extension of a file.
var commentMarks = map[string]string{
	".go": "//", ".js": "//", ".mjs": "//", ".css": "/*", ".lua": "--", ".sql": "--",
	".py": "#", ".sh": "#", ".yaml": "#", ".yml": "#", ".toml": "#", ".rb": "#", ".cfg": "#", "": "#",
}

// TestCommentsAreInPlainEnglish: they name the thing, as Stripe's docs do.
func TestCommentsAreInPlainEnglish(t *testing.T) {
	t.Parallel()
	read := 0
	for _, folder := range []string{"internal", "cmd", "platentest", "client", "eval", "examples", "clients", "docs",
		"test", "build", ".ci", "Makefile"} {
		folder = "../../../" + folder
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.Name() == "node_modules" || d.Name() == "vendor":
				return filepath.SkipDir
			case d.IsDir() || commentMarks[filepath.Ext(path)] == "":
				return nil
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				return err //nolint:wrapcheck // the test shows it
			}
			for i, line := range strings.Split(string(raw), "\n") {
				_, comment, _ := strings.Cut(line, commentMarks[filepath.Ext(path)])
				if text := strings.TrimSpace(line); strings.HasPrefix(text, "*") {
					comment = text
				}
				if inComments.MatchString(comment) && !strings.ContainsAny(line, "\"`") {
					t.Errorf("%s:%d: %s", path, i+1, comment)
				}
				read++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	const few = 100_000
	if read < few {
		t.Errorf("only %d lines were read", read)
	}
}

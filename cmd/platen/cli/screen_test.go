package cli

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAScreenEscapesWhatActsOnATerminal(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain, é, 日本\tand\nlines\r\n":       "plain, é, 日本\tand\nlines\r\n",
		"\x1b[31mred\x1b[0m":                 "\x1b[31mred\x1b[0m",
		"\x1b[2J\x1b]52;c;eA==\x07":          `\u001b[2J\u001b]52;c;eA==\u0007`,
		"\x1b[2;91merr=\x1b[22mnone":         "\x1b[2;91merr=\x1b[22mnone",
		"\x1b[8mhidden":                      `\u001b[8mhidden`,
		"over\rwritten\x00\x7f\u009b1m":      `over\u000dwritten\u0000\u007f\u009b1m`,
		"a\u202eb\u2066c\u200fd\u061ce":      `a\u202eb\u2066c\u200fd\u061ce`,
		"lines\u2028and\u2029more":           `lines\u2028and\u2029more`,
		"\x9b2J, a replacement \ufffd stays": `\x9b2J, a replacement ` + "\ufffd stays",
		"half of a character\xe2\x80":        `half of a character\xe2\x80`,
	} {
		file, err := os.Create(filepath.Join(t.TempDir(), "screen"))
		if err != nil {
			t.Fatal(err)
		}
		n, err := NewScreen(file).Write([]byte(text))
		got, _ := os.ReadFile(file.Name())
		if string(got) != want || n != len(text) || err != nil || file.Close() != nil {
			t.Errorf("%q is shown as %q (%d, %v), want %q", text, got, n, err, want)
		}
	}
}

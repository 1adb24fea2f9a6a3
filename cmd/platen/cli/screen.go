package cli

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"unicode"
	"unicode/utf8"
)

// Screen writes to the standard output or error of this program. What acts on a terminal is escaped, since most of
// what is printed are texts of a server: control characters, and those that turn the direction of reading. In JSON
// the escaped form is the same text. Line ends, tabs and colours pass.
type Screen struct{ file *os.File }

// NewScreen writes to a file.
func NewScreen(file *os.File) *Screen { return &Screen{file} }

// Unescaped is the file behind a screen, for output that is not ours: that of a program that is run.
func Unescaped(out io.Writer) io.Writer {
	if s, ok := out.(*Screen); ok {
		return s.file
	}
	return out
}

// Bytes is the file behind a screen where that is no terminal: for bodies that are kept as they came.
func Bytes(out io.Writer) io.Writer {
	if IsTerminal(out) {
		return out
	}
	return Unescaped(out)
}

// Write implements io.Writer.
func (s *Screen) Write(b []byte) (int, error) {
	if _, err := s.file.Write(escape(b)); err != nil {
		return 0, err //nolint:wrapcheck // the caller says what it printed
	}
	return len(b), nil
}

// allowed are a line end, and the colours of paint and of the log.
var allowed = regexp.MustCompile(`^(\r\n|\x1b\[(2;)?(0|1|2|22|3[1-6]|9[1-6])m)`)

func escape(b []byte) []byte {
	var out []byte
	begun := 0
	for i := 0; i < len(b); {
		char, size := utf8.DecodeRune(b[i:])
		if !acts(char) && (char != utf8.RuneError || size > 1) {
			i += size
			continue
		}
		if passes := allowed.Find(b[i:]); passes != nil {
			i += len(passes)
			continue
		}
		form := "\\u%04x"
		if char == utf8.RuneError {
			form, char = "\\x%02x", rune(b[i]) // no UTF-8: a terminal may read it as another character
		}
		out = fmt.Appendf(append(out, b[begun:i]...), form, char)
		i += size
		begun = i
	}
	if begun == 0 {
		return b
	}
	return append(out, b[begun:]...)
}

// acts reports whether a terminal does something at a character instead of showing it.
func acts(char rune) bool {
	return unicode.IsControl(char) && char != '\n' && char != '\t' || unicode.Is(unicode.Bidi_Control, char) ||
		char == '\u2028' || char == '\u2029'
}

package cli

import (
	"io"
	"os"

	"platen/internal/config"
)

// paint colours words for a terminal: the systems have the colours that they
// have everywhere, and no meaning is in a colour alone.
type paint bool

// paintFor paints where a terminal shows it: not in pipes and files, and not
// for NO_COLOR or TERM=dumb.
func paintFor(out io.Writer) paint { return paint(IsTerminal(out) && !config.PlainTerminal()) }

// IsTerminal reports whether output goes to a terminal.
func IsTerminal(out io.Writer) bool {
	f, ok := Unescaped(out).(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Colours of a terminal.
const (
	red     = "31"
	green   = "32"
	yellow  = "33"
	violet  = "34"
	magenta = "35"
	cyan    = "36"
	faint   = "2"
	bold    = "1"
)

func (p paint) in(colour, text string) string {
	if !p || colour == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// system paints a word in the colour of a system.
func (p paint) system(name, text string) string {
	return p.in(map[string]string{
		"office": cyan, "factory": magenta, "hr": green, "world": yellow, "sandbox": violet, "shared": "",
	}[name], text)
}

// status paints the status of a response.
func (p paint) status(status int64, text string) string {
	switch {
	case status >= 500:
		return p.in(red, text)
	case status >= 400:
		return p.in(yellow, text)
	default:
		return p.in(green, text)
	}
}

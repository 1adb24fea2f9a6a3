// Package cli does the work of the commands that play with a company from the
// terminal: watching and forwarding its feed, playing the demo, checking
// signatures and connections. It knows Platen as a client does. Command platen
// gives it flags and turns its errors into exit codes.
package cli

import (
	"encoding/json"
	"fmt"
	"io"
)

// UsageError is the error of a command line that cannot be carried out.
type UsageError struct{ Err error }

// Error implements error.
func (e UsageError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e UsageError) Unwrap() error { return e.Err }

// usagef returns a UsageError with a message.
func usagef(format string, values ...any) error { return UsageError{fmt.Errorf(format, values...)} }

// WriteJSON writes a value as indented JSON.
func WriteJSON(out io.Writer, v any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// Package cli does the work of the commands that play with a company from the
// terminal: watching and forwarding its feed, playing the demo, checking
// signatures and connections. It knows Platen as a client does. Command platen
// gives it flags and turns its errors into exit codes.
package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"

	"platen/client"
)

// UsageError is the error of a command line that cannot be carried out.
type UsageError struct{ Err error }

// Error implements error.
func (e UsageError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e UsageError) Unwrap() error { return e.Err }

// usagef returns a UsageError with a message.
func usagef(format string, values ...any) error { return UsageError{fmt.Errorf(format, values...)} }

// Brief returns an error of package client in as few words as a terminal needs:
// code, message and hint of an error of the server, the network's own error where
// there was no response, and any other error unchanged.
func Brief(err error) error {
	if rejected, ok := errors.AsType[*client.Error](err); ok {
		return briefError{rejected}
	}
	if network, ok := errors.AsType[*url.Error](err); ok {
		return network
	}
	return err
}

type briefError struct{ rejected *client.Error }

// Error implements error.
func (e briefError) Error() string {
	return fmt.Sprintf("%s: %s %s", e.rejected.Code, e.rejected.Message, e.rejected.Hint)
}

// Unwrap returns the error of the server.
func (e briefError) Unwrap() error { return e.rejected }

// WriteJSON writes a value as indented JSON.
func WriteJSON(out io.Writer, v any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

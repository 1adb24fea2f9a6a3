package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"platen/client"
)

// Brief returns an error of package client in as few words as a terminal needs, and each of
// them once: code, message and hint of an error of the server, and what to do where no server
// responds. Any other error is unchanged.
func Brief(err error) error {
	if _, shown := errors.AsType[shownError](err); shown {
		return err
	}
	if rejected, ok := errors.AsType[*client.Error](err); ok {
		doing, _, found := strings.Cut(err.Error(), rejected.Error())
		if !found {
			doing = ""
		}
		return briefError{doing + brief(rejected), err}
	}
	if network, ok := errors.AsType[*url.Error](err); ok {
		doing, _, _ := strings.Cut(err.Error(), network.Error())
		for _, ofClient := range []string{"gave up after ", "platen: "} {
			doing, _, _ = strings.Cut(doing, ofClient)
		}
		return briefError{doing + unreachable(network), err}
	}
	if errors.Is(err, client.ErrNoKey) {
		return briefError{"this requires the other system's key: set PLATEN_OFFICE_KEY and PLATEN_FACTORY_KEY", err}
	}
	return err
}

type briefError struct {
	text string
	err  error
}

// Error implements error.
func (e briefError) Error() string { return e.text }

// Unwrap returns the error itself.
func (e briefError) Unwrap() error { return e.err }

// shownError is an error of the server whose response has been printed.
type shownError struct{ rejected *client.Error }

// Error implements error.
func (e shownError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("the response is %d %s", e.rejected.Status, e.rejected.Code))
}

// Unwrap returns the error of the server.
func (e shownError) Unwrap() error { return e.rejected }

// brief is an error of the server in one line.
func brief(e *client.Error) string {
	if e.Code == "" { // of a proxy or another intermediary
		return strings.TrimSpace(fmt.Sprintf("%d %s", e.Status, e.Message))
	}
	return strings.TrimSpace(e.Code + ": " + e.Message + " " + aboutFields.ReplaceAllString(e.Hint, ""))
}

// aboutFields finds a sentence of a hint about the fields of details, which a terminal shows as
// lines of their own.
var aboutFields = regexp.MustCompile(`(^|\s)details\.[a-z_](?:[^.]|\.[a-z])*\.(\s|$)`)

// unreachable says what to do about a server that does not respond.
func unreachable(err *url.Error) string {
	origin, host := err.URL, ""
	if u, parsed := url.Parse(err.URL); parsed == nil {
		origin, host = u.Scheme+"://"+u.Host, u.Hostname()
	}
	missing, isName := errors.AsType[*net.DNSError](err)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED) && local(host):
		return "nothing listens at " + origin + ". Start one: platen serve. For a server elsewhere set --server or " +
			"PLATEN_URL"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens at " + origin + ". Set --server or PLATEN_URL to the address of a server"
	case isName && missing.IsNotFound:
		return "unknown host " + host + ". Set --server or PLATEN_URL to the address of a server"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return "the connection to " + origin + " ended before the response"
	case err.Timeout():
		return origin + " does not respond in time"
	}
	if failed, ok := errors.AsType[*net.OpError](err); ok {
		return fmt.Sprintf("%s cannot be reached: %v", origin, failed.Err)
	}
	return fmt.Sprintf("%s cannot be reached: %v", origin, err.Err)
}

// local reports whether a host is this machine.
func local(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Details returns the details of an error of the server that its message and hint do not
// say, as lines for a person.
func Details(err error) []string {
	if _, shown := errors.AsType[shownError](err); shown {
		return nil
	}
	rejected, ok := errors.AsType[*client.Error](err)
	if !ok {
		return nil
	}
	var details map[string]any
	if json.Unmarshal(rejected.Details, &details) != nil {
		return nil
	}
	said := rejected.Message + " " + rejected.Hint
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(details)) {
		for _, line := range detail(name, details[name]) {
			_, value, _ := strings.Cut(line, ": ")
			if !strings.Contains(said, strings.ReplaceAll(value, "_", " ")) && !strings.Contains(said, value) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// detail is a field of details as lines of the form "name: value".
func detail(name string, value any) []string {
	list, isList := value.([]any)
	if !isList || !slices.ContainsFunc(list, isObject) {
		if text := words(value); text != "" {
			return []string{name + ": " + text}
		}
		return nil
	}
	var lines []string
	for _, element := range list {
		lines = append(lines, detail(name, element)...)
	}
	return lines
}

func isObject(v any) bool {
	_, ok := v.(map[string]any)
	return ok
}

// words is a JSON value in words. An object that has a message is that.
func words(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case []any:
		texts := make([]string, len(v))
		for i, element := range v {
			texts[i] = words(element)
		}
		return strings.Join(texts, ", ")
	case map[string]any:
		if message, ok := v["message"].(string); ok {
			return message
		}
		var texts []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if text := words(v[name]); text != "" {
				texts = append(texts, name+" "+text)
			}
		}
		return strings.Join(texts, ", ")
	case float64:
		return strings.TrimSuffix(fmt.Sprintf("%.2f", v), ".00")
	default:
		return fmt.Sprint(v)
	}
}

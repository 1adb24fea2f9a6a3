package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"platen/internal/words/problem"
)

// MaxDepth is how deep objects and arrays of a body may be nested; the
// deepest input has three levels.
const MaxDepth = 32

// value is a JSON value as it was written: numbers keep their literals, objects
// the order of their fields.
type value struct {
	kind jsontext.Kind
	// text is a string's content or a number's literal.
	text string
	// names are those of an object's fields, whose values are in values.
	names  []string
	values []*value
}

// reader reads one body. Its decoder refuses duplicate names and text that is
// not Unicode, also where escapes hide them.
type reader struct {
	body []byte
	// subject is the body in messages.
	subject string
	decoder *jsontext.Decoder
}

// read returns the object that a body consists of. The subject names it in
// messages.
func read(body []byte, subject string) (*value, *problem.Problem) {
	r := reader{body: body, subject: subject, decoder: jsontext.NewDecoder(bytes.NewBuffer(body))}
	start := len(body) - len(trimmed(body))
	if start == len(body) {
		return nil, problem.New(problem.InvalidJSON,
			"The %s is empty: it ends at byte %d, before any JSON object begins.", subject, start)
	}
	token, err := r.decoder.ReadToken()
	if err != nil {
		return nil, r.refusal(err)
	}
	if token.Kind() != jsontext.KindBeginObject {
		return nil, problem.New(problem.InvalidJSON, "The %s is %s at byte %d; it must be a JSON object.",
			subject, noun(token.Kind()), start)
	}
	root, err := r.value(token)
	if err != nil {
		return nil, r.refusal(err)
	}
	end := r.decoder.InputOffset()
	if rest := trimmed(body[end:]); len(rest) > 0 {
		return nil, problem.New(problem.InvalidJSON,
			"The object ends at byte %d, and something follows at byte %d; send one JSON object.",
			end, len(body)-len(rest))
	}
	return root, nil
}

// trimmed drops the white space of JSON, which is less than that of Unicode.
func trimmed(b []byte) []byte { return bytes.TrimLeft(b, " \t\r\n") }

// value reads the value that a token begins.
func (r *reader) value(token jsontext.Token) (*value, error) {
	v := &value{kind: token.Kind()}
	switch v.kind {
	case jsontext.KindString, jsontext.KindNumber:
		v.text = token.String()
		return v, nil
	case jsontext.KindBeginObject, jsontext.KindBeginArray:
	default:
		return v, nil
	}
	if r.decoder.StackDepth() > MaxDepth {
		return nil, errDepth
	}
	for {
		token, err := r.decoder.ReadToken()
		if err != nil {
			return nil, err
		}
		if token.Kind() == jsontext.KindEndObject || token.Kind() == jsontext.KindEndArray {
			return v, nil
		}
		if v.kind == jsontext.KindBeginObject {
			v.names = append(v.names, token.String())
			if token, err = r.decoder.ReadToken(); err != nil {
				return nil, err
			}
		}
		child, err := r.value(token)
		if err != nil {
			return nil, err
		}
		v.values = append(v.values, child)
	}
}

// append appends the value as JSON.
func (v *value) append(b []byte) []byte {
	switch v.kind {
	case jsontext.KindString:
		b, _ = jsontext.AppendQuote(b, v.text) // it was read, so it is Unicode
	case jsontext.KindNumber:
		b = append(b, v.text...)
	case jsontext.KindBeginObject, jsontext.KindBeginArray:
		b = append(b, byte(v.kind))
		for i, child := range v.values {
			if i > 0 {
				b = append(b, ',')
			}
			if v.kind == jsontext.KindBeginObject {
				b, _ = jsontext.AppendQuote(b, v.names[i])
				b = append(b, ':')
			}
			b = child.append(b)
		}
		if v.kind == jsontext.KindBeginObject {
			return append(b, '}')
		}
		b = append(b, ']')
	default:
		b = append(b, literals[v.kind]...)
	}
	return b
}

// literals are the values that are words.
//
//nolint:gochecknoglobals // read only
var literals = map[jsontext.Kind]string{
	jsontext.KindNull: "null", jsontext.KindTrue: "true", jsontext.KindFalse: "false",
}

var errDepth = errors.New("nested too deeply")

// refusal says in plain words where reading stopped and why.
func (r *reader) refusal(err error) *problem.Problem {
	at, pointer := r.decoder.InputOffset(), jsontext.Pointer("")
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		at, pointer = syntax.ByteOffset, syntax.JSONPointer
	}
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		object := "in the object"
		if parent := pointer.Parent(); parent != "" {
			object += " at " + clip(string(parent))
		}
		return problem.New(problem.InvalidJSON, "The field %s stands twice %s. The second one is at byte %d.",
			quote(pointer.LastToken()), object, at)
	case errors.Is(err, errDepth):
		return problem.New(problem.InvalidJSON, "At byte %d the %s is nested deeper than %d levels.",
			at, r.subject, MaxDepth)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return problem.New(problem.InvalidJSON, "The %s ends at byte %d, before its JSON object does.",
			r.subject, len(r.body))
	}
	return problem.New(problem.InvalidJSON, "The %s is not JSON: at byte %d %s.", r.subject, at, r.fault(at, err))
}

// fault describes a syntactic error by the text at its place. The library's own
// texts are not promised to stay, so they only add to it.
func (r *reader) fault(at int64, err error) string {
	rest := r.body[min(at, int64(len(r.body))):]
	char, size := utf8.DecodeRune(rest)
	shown := quote(string(rest[:size]))
	text := err.Error()
	switch {
	case char == utf8.RuneError && size < 2:
		return "there is something that is not valid UTF-8"
	case char == '\\' && len(rest) > 2 && rest[1] == 'u' && (rest[2] == 'd' || rest[2] == 'D'):
		return "an escape stands for one half of a surrogate pair"
	case char == '\\':
		return "stands an escape that JSON does not have"
	case char < ' ':
		return fmt.Sprintf("stands the control character %s, which JSON does not allow as it is", shown)
	case char == ',' && closes(trimmed(rest[1:])):
		return "stands a comma after which nothing follows"
	case errors.Is(err, jsontext.ErrNonStringName):
		return fmt.Sprintf("stands %s where a field's name in double quotes must begin", shown)
	case strings.Contains(text, "expecting ','"):
		return fmt.Sprintf("stands %s where a comma or a closing bracket must be", shown)
	case strings.Contains(text, "missing value"):
		return fmt.Sprintf("stands %s where a field's value must be", shown)
	case strings.Contains(text, "in number"):
		return fmt.Sprintf("stands %s where a digit must be", shown)
	case strings.Contains(text, "expecting ':'"):
		return fmt.Sprintf("stands %s where a colon must be", shown)
	}
	return fmt.Sprintf("stands %s, which cannot be there; names and strings are in double quotes, and the only words "+
		"are true, false and null", shown)
}

func closes(rest []byte) bool { return len(rest) > 0 && (rest[0] == '}' || rest[0] == ']') }

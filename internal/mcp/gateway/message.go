package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// space are the characters that may surround values of JSON.
const space = " \t\r\n"

// message holds the parts of a message that the gateway needs; the library
// reads it whole.
type rpcMessage struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

// opens reports whether the message opens a session.
func (m rpcMessage) opens() bool { return m.Method == "initialize" }

// opening refuses an initialize to which the library would not respond with a
// result: it must not leave a session behind.
func opening(messages []rpcMessage, body []byte) error {
	if !isObject(body) {
		return &refusal{
			status: http.StatusBadRequest, code: codeInvalid,
			message: "Invalid Request: initialize must be sent by itself, not in a batch",
		}
	}
	if id := messages[0].ID; len(id) == 0 || string(id) == "null" {
		return &refusal{
			status: http.StatusBadRequest, code: codeInvalid, message: "Invalid Request: initialize must have an id",
		}
	}
	var sent struct {
		Params *sdk.InitializeParams `json:"params"`
	}
	if err := json.Unmarshal(body, &sent); err != nil || sent.Params == nil {
		return &refusal{
			status: http.StatusOK, code: codeParams, message: "Invalid params: " +
				"initialize takes protocolVersion, a string, and the objects capabilities and clientInfo",
		}
	}
	return nil
}

// calls reports whether the message calls a tool.
func (m rpcMessage) calls() bool { return m.Method == "tools/call" }

// streams reports whether the message asks for more than its response.
func (m rpcMessage) streams() bool {
	var params struct {
		Meta struct {
			ProgressToken any `json:"progressToken"` //nolint:tagliatelle // the protocol's spelling
		} `json:"_meta"` //nolint:tagliatelle // the protocol's spelling
	}
	_ = json.Unmarshal(m.Params, &params)
	return params.Meta.ProgressToken != nil || m.Method == "subscriptions/listen"
}

// maxWhole is the largest number that every reader of JSON takes as it is.
const maxWhole = 1<<53 - 1

// badID returns an error for an id that the protocol does not have, or that the response
// would not repeat: the library reads numbers as floating point.
func (m rpcMessage) badID() error {
	id := string(m.ID)
	switch {
	case id == "" || id == "null":
		if m.Method == "" || strings.HasPrefix(m.Method, "notifications/") {
			return nil
		}
		return invalid("a request such as %s must have an id", m.Method)
	case id[0] == '"':
		return nil
	}
	if n, err := strconv.ParseInt(id, 10, 64); err != nil || n > maxWhole || n < -maxWhole {
		return invalid("an id is a text, or a whole number of at most %d", maxWhole)
	}
	return nil
}

func invalid(format string, values ...any) error {
	return &refusal{
		status: http.StatusBadRequest, code: codeInvalid, message: "Invalid Request: " + fmt.Sprintf(format, values...),
	}
}

// badParams returns an error for params that the library would describe in terms of Go.
func (m rpcMessage) badParams() error {
	wrong := func(message string) error {
		return &refusal{status: http.StatusOK, code: codeParams, message: "Invalid params: " + message}
	}
	if len(m.Params) == 0 || string(m.Params) == "null" {
		return nil
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(m.Params, &fields) != nil {
		return wrong("params is an object")
	}
	for _, name := range []string{"name", "uri", "cursor", "level"} {
		if value, ok := fields[name]; ok && value[0] != '"' {
			return wrong(name + " is a text")
		}
	}
	return nil
}

// isObject reports whether a value of JSON is an object, as every message is.
func isObject(value []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(value, space), []byte("{")) }

// read returns the messages of a body: one, or those of a batch. Objects that are
// no messages are left to the library.
func read(body []byte) ([]rpcMessage, error) {
	if !json.Valid(body) {
		return nil, &refusal{
			status: http.StatusBadRequest, code: codeParse, message: "Parse error: the body is not JSON",
		}
	}
	if isObject(body) {
		var one rpcMessage
		_ = json.Unmarshal(body, &one)
		return []rpcMessage{one}, nil
	}
	var batch []json.RawMessage
	if err := json.Unmarshal(body, &batch); err != nil || batch == nil ||
		slices.ContainsFunc(batch, func(m json.RawMessage) bool { return !isObject(m) }) {
		return nil, &refusal{
			status: http.StatusBadRequest, code: codeInvalid,
			message: "Invalid Request: a message is an object, and a batch an array of such",
		}
	}
	if len(batch) == 0 || len(batch) > maxBatch {
		return nil, &refusal{
			status: http.StatusBadRequest, code: codeInvalid, message: "Invalid Request: a batch has 1 to 20 messages",
		}
	}
	messages := make([]rpcMessage, len(batch))
	for i := range batch {
		_ = json.Unmarshal(batch[i], &messages[i])
	}
	return messages, nil
}

// unreadable is the refusal of a body that could not be read.
func unreadable(err error) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &refusal{
			status: http.StatusRequestEntityTooLarge, code: codeRefused,
			message: "Request body too large: the most is 65536 bytes",
		}
	}
	return &refusal{status: http.StatusBadRequest, code: codeParse, message: "Parse error: the body could not be read"}
}

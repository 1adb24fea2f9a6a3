package environment

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"github.com/coder/websocket"
)

// incoming is a message of a WebSocket.
type incoming struct {
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

// outgoing is the response to one.
type outgoing struct {
	Type string `json:"type"`
	Data any    `json:"data"`
}

// socket serves a WebSocket: one episode at a time, which ends with the connection.
func (e *Environment) socket(w http.ResponseWriter, r *http.Request) {
	connection, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // it has answered
	}
	defer func() { _ = connection.CloseNow() }() // it is closed, or its client is gone
	connection.SetReadLimit(maxBody)
	ctx := r.Context()
	c := &conversation{environment: e}
	defer c.leave(ctx)
	for {
		_, text, err := connection.Read(ctx)
		if err != nil {
			return
		}
		response, more := c.answer(ctx, text)
		if !more {
			_ = connection.Close(websocket.StatusNormalClosure, "")
			return
		}
		var body bytes.Buffer
		if err := encoder(&body).Encode(response); err != nil {
			return
		}
		if err := connection.Write(ctx, websocket.MessageText, body.Bytes()); err != nil {
			return
		}
	}
}

// conversation is a connection with its episode.
type conversation struct {
	environment *Environment
	id          string
}

// leave ends the episode.
func (c *conversation) leave(ctx context.Context) {
	if c.id != "" {
		_ = c.environment.Close(ctx, c.id) // it is there, or was replaced
		c.id = ""
	}
}

// answer answers a message; more is false for the last one.
func (c *conversation) answer(ctx context.Context, text []byte) (response outgoing, more bool) {
	var m incoming
	err := decode(text, &m)
	var data any
	kind := "observation"
	if err == nil {
		switch m.Type {
		case "reset":
			data, err = c.reset(ctx, m.Data)
		case "step":
			data, err = c.step(ctx, m.Data)
		case "state":
			kind = "state"
			data, err = c.environment.State(c.id)
		case "close":
			return outgoing{}, false
		default:
			err = &Error{Code: codeType, Message: "a message has the type reset, step, state or close"}
		}
	}
	if err != nil {
		known := brief(err)
		return outgoing{"error", map[string]string{"message": known.Message, "code": known.Code}}, true
	}
	return outgoing{kind, data}, true
}

func (c *conversation) reset(ctx context.Context, data json.RawMessage) (*Result, error) {
	var in Reset
	if len(data) > 0 {
		if err := decode(data, &in); err != nil {
			return nil, err
		}
	}
	c.leave(ctx)
	result, err := c.environment.Reset(ctx, in)
	if err == nil {
		c.id = result.Observation.EpisodeID
	}
	return result, err
}

func (c *conversation) step(ctx context.Context, data json.RawMessage) (*Result, error) {
	var in Action
	if err := decode(data, &in); err != nil {
		return nil, err
	}
	return c.environment.Step(ctx, c.id, "", in)
}

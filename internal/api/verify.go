package api

import (
	"net/http"

	"github.com/go-json-experiment/json"

	"platen/internal/api/console"
	"platen/internal/api/message"
	"platen/internal/edge/webhook/diagnosis"
	"platen/internal/words/problem"
	"platen/internal/words/wire"
)

// capture is the request that a receiver got, with its secret, as the console sends them.
type capture struct {
	Secret    string `json:"secret"`
	ID        string `json:"id"`
	Timestamp string `json:"timestamp"`
	Signature string `json:"signature"`
	Body      string `json:"body"`
}

// examineCapture finds out why a signature is invalid, as `platen verify` does. Nothing of it is kept.
func (s *Server) examineCapture(r *message.Request, _ *console.Viewer) (*message.Response, error) {
	body, err := r.Body.Bytes()
	if err == nil {
		err = checkMediaType(r.HTTP.Header)
	}
	if err != nil {
		return nil, err
	}
	var c capture
	if json.Unmarshal(body, &c, json.RejectUnknownMembers(true)) != nil {
		return nil, problem.New(problem.BadRequest,
			"The body must be a JSON object with the texts secret, id, timestamp, signature and body.")
	}
	report := diagnosis.Examine(&diagnosis.Capture{
		Header: http.Header{
			"webhook-id": {c.ID}, "webhook-timestamp": {c.Timestamp}, "webhook-signature": {c.Signature},
		},
		Body: []byte(c.Body), Secret: c.Secret, Now: r.Arrived.Time(),
	})
	return &message.Response{Status: http.StatusOK, NoStore: true, Raw: wire.Encode(report)}, nil
}

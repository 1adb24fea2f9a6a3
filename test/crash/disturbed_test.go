package crash

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"platen/test/testclient"
)

const (
	// insists is how often a request is sent until it comes through: longer than any injected
	// fault lasts.
	insists = 100
	// insistsOnRate is the same for 429, which may be no fault: the clock moved a moment ago.
	insistsOnRate = 40
)

// errForgotten reports a cursor that a fault made the server forget.
var errForgotten = errors.New("the cursor has been forgotten")

// newDisturbed creates a sandbox in which nearly everything goes wrong that can.
func newDisturbed(p *process, seed uint64) (*tenant, error) {
	n := &tenant{preset: "manual", clock: "manual", disturbed: true}
	body := fmt.Sprintf(`{"preset":"manual","clock":"manual","seed":%[1]d,
		"faults":{"plan":"severe","seed":%[1]d,"delay_pct":0}}`, seed%100_000)
	return n, n.create(p, body)
}

// send sends a request. In a sandbox with injected faults it is sent again until the response
// is free of them.
func (n *tenant) send(p *process, q request) (*testclient.Answer, error) {
	if !n.disturbed {
		return p.send(q)
	}
	for tries := 1; ; tries++ {
		a, err := p.send(q)
		if n.heard != nil {
			n.heard(q, a)
		}
		switch {
		case errors.Is(err, errGone):
			return a, err
		case err == nil && !again(a):
			return a, nil
		case p.dying.Load() && err == nil && tries == 1 && a.Status == http.StatusServiceUnavailable:
			return a, nil // it is stopping, and has done nothing
		case p.dying.Load():
			return nil, errGone // whether an attempt did it is not known
		case a != nil && a.Status == http.StatusTooManyRequests && tries == insistsOnRate:
			return a, nil
		case tries == insists:
			return a, fmt.Errorf("%d attempts at %s %s: %w", tries, q.method, q.path, err)
		}
	}
}

// again reports whether a response may be an injected fault.
func again(a *testclient.Answer) bool {
	switch a.Status {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusTooManyRequests:
		return true
	case http.StatusConflict:
		return a.Code() == "request_in_progress"
	default:
		return false
	}
}

// forgot reports a cursor that a fault made the server forget.
func (n *tenant) forgot(a *testclient.Answer) error {
	if n.disturbed && a.Status == http.StatusBadRequest && a.Code() == "invalid_cursor" {
		return errForgotten
	}
	return nil
}

// plain is an event without what a fault added.
func (n *tenant) plain(raw []byte) (string, error) {
	if !n.disturbed {
		return string(raw), nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return "", err
	}
	delete(members, "preview")
	for name, value := range members {
		members[name] = bytes.ReplaceAll(value, []byte(`"by_arrangement"`), []byte(`"usual"`))
	}
	text, err := json.Marshal(members)
	return string(text), err
}

// hides reports whether the feed ends early, since a system is away.
func (n *tenant) hides(p *process, newest uint64) (bool, error) {
	if !n.disturbed {
		return false, nil
	}
	var glance struct {
		LastSeq uint64 `json:"last_seq"`
	}
	err := n.object(p, "/sandbox", &glance)
	return glance.LastSeq > newest, err
}

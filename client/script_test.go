package client_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"platen/client"
)

// scripted is a case of clients/script.json, which the clients of all languages play.
type scripted struct {
	Name    string             `json:"name"`
	Options scriptedOptions    `json:"options"`
	Keys    *map[string]string `json:"keys"`
	// Responses come in turn, the last one again and again.
	Responses []scriptedResponse `json:"responses"`
	Calls     []scriptedCall     `json:"calls"`
	Want      scriptedWant       `json:"want"`
}

type scriptedOptions struct {
	MaxRetries     *int     `json:"max_retries"`
	MaxElapsed     *float64 `json:"max_elapsed_s"`
	RetryConflicts bool     `json:"retry_conflicts"`
	CreationKey    string   `json:"creation_key"`
}

type scriptedResponse struct {
	Status     int               `json:"status"`
	Headers    map[string]string `json:"headers"`
	Data       json.RawMessage   `json:"data"`
	Error      map[string]any    `json:"error"`
	Text       *string           `json:"text"`
	Blanks     int               `json:"blanks"`
	Cut        bool              `json:"cut"`
	Drop       bool              `json:"drop"`
	ServerTime json.RawMessage   `json:"server_time"`
}

// step is the response as the fake server gives it.
func (r *scriptedResponse) step(t *testing.T) step {
	t.Helper()
	s := step{status: 200, header: r.Headers, cut: r.Cut, drop: r.Drop}
	if r.Status != 0 {
		s.status = r.Status
	}
	meta := map[string]any{"simulation": true, "request_id": "req_1", "api_version": "2026-09",
		"server_time": "2026-10-01T09:00:00.000000Z"}
	switch string(r.ServerTime) {
	case "":
	case "null":
		delete(meta, "server_time")
	default:
		meta["server_time"] = r.ServerTime
	}
	envelope := map[string]any{"meta": meta, "data": r.Data}
	switch {
	case r.Text != nil:
		s.body = *r.Text
		return s
	case r.Blanks > 0:
		s.body = strings.Repeat(" ", r.Blanks)
		return s
	case r.Error != nil:
		problem := map[string]any{"message": "m", "hint": "h", "docs_url": "d"}
		maps.Copy(problem, r.Error)
		envelope = map[string]any{"meta": meta, "error": problem}
	}
	b, err := json.Marshal(envelope)
	if err != nil {
		t.Fatal(err)
	}
	s.body = string(b)
	return s
}

type scriptedCall struct {
	Operation   string          `json:"operation"`
	IDs         []string        `json:"ids"`
	In          json.RawMessage `json:"in"`
	Query       map[string]any  `json:"query"`
	All         bool            `json:"all"`
	Key         *string         `json:"key"`
	IfNoneMatch string          `json:"if_none_match"`
	IfMatch     string          `json:"if_match"`
	On          string          `json:"on"`
}

type scriptedWant struct {
	Slept    *[]float64      `json:"slept"`
	Drawn    []float64       `json:"drawn"`
	Requests json.RawMessage `json:"requests"`
	SameKeys []*int          `json:"same_keys"`
	Error    map[string]any  `json:"error"`
	Data     map[string]any  `json:"data"`
	Page     map[string]any  `json:"page"`
	Items    *[]string       `json:"items"`
	Call     map[string]any  `json:"call"`
	Proof    *struct {
		Request    int    `json:"request"`
		Challenge  string `json:"challenge"`
		Difficulty int    `json:"difficulty"`
	} `json:"proof"`
}

// spelling is a name without what languages spell differently.
func spelling(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// make calls a client by the name of an operation. Rows of all pages go into items.
func (s *scriptedCall) make(ctx context.Context, c *client.Client, items *[]string) (any, error) {
	name := s.Operation
	if s.All {
		if name = strings.TrimPrefix(name, "list_"); name == "events" {
			name = "events_where"
		}
	}
	method, _ := reflect.TypeFor[*client.Client]().MethodByName(s.method(name))
	in := []reflect.Value{reflect.ValueOf(c), reflect.ValueOf(ctx)}
	for _, id := range s.IDs {
		in = append(in, reflect.ValueOf(id))
	}
	if len(in) < method.Type.NumIn() {
		last := reflect.New(method.Type.In(len(in)))
		if s.In != nil {
			if err := json.Unmarshal(s.In, last.Interface()); err != nil {
				return nil, err
			}
		}
		if err := s.choose(last.Elem()); err != nil {
			return nil, err
		}
		in = append(in, last.Elem())
	}
	out := method.Func.Call(in)
	if !s.All {
		err, _ := reflect.TypeAssert[error](out[1])
		return out[0].Interface(), err
	}
	for item, failed := range out[0].Seq2() {
		if err, ok := reflect.TypeAssert[error](failed); ok {
			return nil, err
		}
		*items = append(*items, item.FieldByName("ID").String())
	}
	return nil, nil
}

func (*scriptedCall) method(name string) string {
	for m := range reflect.TypeFor[*client.Client]().Methods() {
		if spelling(m.Name) == spelling(name) {
			return m.Name
		}
	}
	return name
}

// choose sets the parameters of a list.
func (s *scriptedCall) choose(params reflect.Value) error {
	for i := range params.NumField() {
		field, name := params.Field(i), spelling(params.Type().Field(i).Name)
		if name == "ifnonematch" && s.IfNoneMatch != "" {
			field.SetString(s.IfNoneMatch)
		}
		for key, value := range s.Query {
			if spelling(key) != name {
				continue
			}
			b, err := json.Marshal(value)
			if err != nil {
				return err
			}
			if err := json.Unmarshal(b, field.Addr().Interface()); err != nil {
				return err
			}
		}
	}
	return nil
}

func TestTheScriptOfAllClients(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join("..", "clients", "script.json"))
	if err != nil {
		t.Fatal(err)
	}
	var script struct {
		Cases []scripted `json:"cases"`
	}
	if err := json.Unmarshal(raw, &script); err != nil || len(script.Cases) < 50 {
		t.Fatalf("%d cases, %v", len(script.Cases), err)
	}
	for _, c := range script.Cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			c.play(t)
		})
	}
}

// client makes the client of a case.
func (c *scripted) client(f *fake) *client.Client {
	keys := client.Keys{Office: "lab_off_test", Factory: "lab_fac_test"}
	if c.Keys != nil {
		keys = client.Keys{Office: (*c.Keys)["office"], Factory: (*c.Keys)["factory"], Grading: (*c.Keys)["grading"]}
	}
	options := []client.Option{
		client.Clock(f.clock.Now, f.clock.Sleep), client.CreationKey(c.Options.CreationKey),
	}
	if n := c.Options.MaxRetries; n != nil {
		options = append(options, client.MaxRetries(*n))
	}
	if s := c.Options.MaxElapsed; s != nil {
		options = append(options, client.MaxElapsed(time.Duration(*s*float64(time.Second))))
	}
	if c.Options.RetryConflicts {
		options = append(options, client.RetryConflicts())
	}
	return client.New(f.URL+"/v1", keys, options...)
}

func (c *scripted) play(t *testing.T) {
	t.Helper()
	var steps []step
	for i := range c.Responses {
		steps = append(steps, c.Responses[i].step(t))
	}
	f := newFake(t, steps...)
	api := c.client(f)
	var (
		sandbox *client.Sandbox
		result  any
		failed  error
		call    client.Call
		items   = []string{}
	)
	for i := range c.Calls {
		ctx := client.WithCall(t.Context(), &call)
		if key := c.Calls[i].Key; key != nil {
			ctx = client.WithIdempotencyKey(ctx, *key)
		}
		if etag := c.Calls[i].IfMatch; etag != "" {
			ctx = client.WithIfMatch(ctx, etag)
		}
		by := api
		switch c.Calls[i].On {
		case "sandbox":
			by = sandbox.Client()
		case "grader":
			by = sandbox.Grader()
		}
		if result, failed = c.Calls[i].make(ctx, by, &items); failed != nil && i < len(c.Calls)-1 {
			t.Fatalf("call %d: %v", i, failed)
		}
		if made, ok := result.(*client.Sandbox); ok {
			sandbox = made
		}
	}
	c.Want.failure(t, failed)
	c.Want.waits(t, f.clock.slept)
	if c.Want.Items != nil && !slices.Equal(items, *c.Want.Items) {
		t.Errorf("read %v, want %v", items, *c.Want.Items)
	}
	within(t, "the data", plain(t, result), c.Want.Data)
	noted := map[string]any{"attempts": float64(call.Attempts), "status": float64(call.Status),
		"replayed": call.Replayed, "idempotency_key": call.IdempotencyKey}
	within(t, "the call", noted, c.Want.Call)
	if c.Want.Page != nil {
		page := result.(*client.Page[client.FeedEvent])
		within(t, "the page", map[string]any{
			"next_cursor": page.NextCursor, "last_seq": float64(page.LastSeq), "etag": page.ETag,
		}, c.Want.Page)
	}
	c.Want.sent(t, f.requests())
}

// plain is a value as JSON has it.
func plain(t *testing.T, value any) map[string]any {
	t.Helper()
	b, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	members := map[string]any{}
	_ = json.Unmarshal(b, &members) // other values have no members
	return members
}

// within checks that an object has the members that are wanted.
func within(t *testing.T, what string, got, want map[string]any) {
	t.Helper()
	for name, value := range want {
		if !reflect.DeepEqual(got[name], value) {
			t.Errorf("%s has the %s %v, want %v", what, name, got[name], value)
		}
	}
}

func (w *scriptedWant) waits(t *testing.T, slept []time.Duration) {
	t.Helper()
	seconds := []float64{}
	for _, d := range slept {
		seconds = append(seconds, d.Seconds())
	}
	if w.Slept != nil && !slices.Equal(seconds, *w.Slept) {
		t.Errorf("slept %v, want %v", seconds, *w.Slept)
	}
	if w.Drawn != nil && len(seconds) != len(w.Drawn) {
		t.Fatalf("slept %v, want at most %v", seconds, w.Drawn)
	}
	for i, limit := range w.Drawn {
		if seconds[i] < 0 || seconds[i] > limit {
			t.Errorf("wait %d took %v, want at most %v", i, seconds[i], limit)
		}
	}
}

func (w *scriptedWant) failure(t *testing.T, err error) {
	t.Helper()
	if w.Error == nil {
		if err != nil {
			t.Error(err)
		}
		return
	}
	refusal, refused := errors.AsType[*client.Error](err)
	kind, _ := w.Error["kind"].(string)
	says, _ := w.Error["says"].(string)
	switch {
	case err == nil || !strings.Contains(err.Error(), says):
		t.Errorf("got %v, want %q", err, says)
	case kind == "not_modified" && !errors.Is(err, client.ErrNotModified),
		kind == "no_key" && !errors.Is(err, client.ErrNoKey),
		(kind == "") != refused:
		t.Errorf("got %v, want %v", err, w.Error)
	}
	if kind != "" || !refused {
		return
	}
	var details any
	_ = json.Unmarshal(refusal.Details, &details)
	within(t, "the error", map[string]any{
		"operation": refusal.Operation, "status": float64(refusal.Status), "code": refusal.Code,
		"text": refusal.Message, "hint": refusal.Hint, "docs_url": refusal.DocsURL, "details": details,
		"retryable": refusal.Retryable, "request_id": refusal.RequestID,
	}, w.Error)
}

// sent compares what the server saw.
func (w *scriptedWant) sent(t *testing.T, got []sent) {
	t.Helper()
	var number int
	var want []map[string]any
	if json.Unmarshal(w.Requests, &number) == nil && len(w.Requests) > 0 && len(got) != number {
		t.Fatalf("%d requests, want %d", len(got), number)
	}
	if json.Unmarshal(w.Requests, &want) == nil && len(w.Requests) > 0 && len(got) != len(want) {
		t.Fatalf("%d requests, want %d", len(got), len(want))
	}
	keys := make([]string, len(got))
	for i, s := range got {
		keys[i] = s.header.Get("Idempotency-Key")
		if i < len(want) {
			s.alike(t, i, want[i])
		}
	}
	for i, like := range w.SameKeys {
		if (keys[i] == "") != (like == nil) || like != nil && (len(keys[i]) < 20 || len(keys[i]) > 64) {
			t.Errorf("request %d has the key %q", i, keys[i])
		}
		for j, other := range w.SameKeys {
			if like != nil && other != nil && (keys[i] == keys[j]) != (*like == *other) {
				t.Errorf("requests %d and %d have the keys %s and %s", i, j, keys[i], keys[j])
			}
		}
	}
	if w.Proof != nil {
		nonce, ok := strings.CutPrefix(got[w.Proof.Request].header.Get("Sim-PoW"), w.Proof.Challenge+".")
		sum := sha256.Sum256([]byte(w.Proof.Challenge + nonce))
		if zeros := bits.LeadingZeros32(binary.BigEndian.Uint32(sum[:])); !ok || zeros < w.Proof.Difficulty {
			t.Errorf("the proof has %d zeros", zeros)
		}
	}
}

func (s *sent) alike(t *testing.T, i int, want map[string]any) {
	t.Helper()
	query := map[string]any{}
	values, _ := url.ParseQuery(s.query)
	for name := range values {
		query[name] = values.Get(name)
	}
	var body any
	_ = json.Unmarshal([]byte(s.body), &body)
	headers, _ := want["headers"].(map[string]any)
	delete(want, "headers")
	within(t, fmt.Sprintf("request %d", i), map[string]any{
		"method": s.method, "path": s.escaped, "query": query, "body": body, "text": s.body,
	}, want)
	for name, value := range headers {
		if text, _ := value.(string); s.header.Get(name) != text {
			t.Errorf("request %d has the %s %q, want %q", i, name, s.header.Get(name), text)
		}
	}
}

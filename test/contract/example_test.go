package contract

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// update writes the examples of the OpenAPI document anew: those that are
// missing or no longer fit what the document says. All others stay, so that the
// difference shows what has changed.
var update = flag.Bool("update", false, "record missing and outdated examples of the OpenAPI document")

const (
	examplesFile = "../../internal/publish/openapi/examples.json"
	// exampleItems is how many rows of a list an example keeps.
	exampleItems = 2
)

// recorded is the body of a request to an operation and the data of its answer.
type recorded struct {
	Body json.RawMessage `json:"body,omitempty"`
	Data json.RawMessage `json:"data"`
}

// book holds what the suite has seen, for the examples.
type book struct {
	mu         sync.Mutex                 // guards both
	Operations map[string]recorded        `json:"operations"`
	Events     map[string]json.RawMessage `json:"events"`
}

var seen = &book{Operations: map[string]recorded{}, Events: map[string]json.RawMessage{}}

// note keeps an answer that could be an example.
func (b *book) note(a *answer) {
	if !*update || a.operation == nil || a.Status >= http.StatusMultipleChoices || !json.Valid(a.Raw) {
		return
	}
	var whole struct {
		Data json.RawMessage `json:"data"`
	}
	if json.Unmarshal(a.Raw, &whole) != nil || whole.Data == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	name := a.operation.exampleName(strconv.Itoa(a.Status))
	found := recorded{Data: shortened(whole.Data)}
	if a.asked.body != "" && json.Valid([]byte(a.asked.body)) && a.asked.body != "{}" {
		found.Body = json.RawMessage(a.asked.body)
	}
	if known, ok := b.Operations[name]; !ok || found.better(known) {
		b.Operations[name] = found
	}
	b.events(whole.Data)
}

// exampleName names the example of a success: by the operation alone, unless it creates something
// and this response says that it has not, like a ticket or a dry run.
func (o *documented) exampleName(status string) string {
	if status != "201" && o.responses["201"].Content != nil {
		return o.id + "_" + status
	}
	return o.id
}

// better prefers what shows more: a body, and rows.
func (r recorded) better(than recorded) bool {
	empty := []byte(`:[]`)
	if (len(r.Body) > 0) != (len(than.Body) > 0) {
		return len(r.Body) > 0
	}
	return bytes.Contains(than.Data, empty) && !bytes.Contains(r.Data, empty)
}

var leadingSequence = regexp.MustCompile(`^\{"seq":\d+,`)

func (b *book) events(data json.RawMessage) {
	var page struct {
		Items []json.RawMessage `json:"items"`
	}
	if json.Unmarshal(data, &page) != nil {
		return
	}
	for _, item := range page.Items {
		var e struct {
			Seq  uint64 `json:"seq"`
			Type string `json:"type"`
		}
		if json.Unmarshal(item, &e) == nil && e.Seq > 0 && e.Type != "" && b.Events[e.Type] == nil {
			b.Events[e.Type] = secretless(leadingSequence.ReplaceAll(item, []byte("{")))
		}
	}
}

// shortened keeps a few elements of the arrays in data, and no key.
func shortened(data json.RawMessage) json.RawMessage {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var members []string
	values := map[string]json.RawMessage{}
	if first, err := decoder.Token(); err != nil || first != json.Delim('{') {
		return secretless(data)
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return secretless(data)
		}
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			return secretless(data)
		}
		var list []json.RawMessage
		if value[0] == '[' && json.Unmarshal(value, &list) == nil && len(list) > exampleItems {
			value, _ = json.Marshal(list[:exampleItems])
		}
		members = append(members, fmt.Sprint(name))
		values[fmt.Sprint(name)] = value
	}
	var b bytes.Buffer
	for i, name := range members {
		b.WriteByte("{,"[min(i, 1)])
		b.WriteString(strconv.Quote(name) + ":")
		b.Write(values[name])
	}
	b.WriteByte('}')
	return secretless(b.Bytes())
}

var anySecret = regexp.MustCompile(`whsec_[A-Za-z0-9+/=]+`)

// secretless replaces keys and secrets by some that do not exist.
func secretless(raw []byte) json.RawMessage {
	raw = anyKey.ReplaceAllFunc(raw, func(key []byte) []byte {
		return append(key[:len("lab_off_"):len("lab_off_")], "EXAMPLE-KEY-EXAMPLE-KEY-EXAMPLE-KEY-EXAMPLE"...)
	})
	return anySecret.ReplaceAll(raw, []byte("whsec_RVhBTVBMRS1TRUNSRVQtRVhBTVBMRS1T"))
}

// write puts what was seen where examples are missing or do not fit.
func (b *book) write(j *judge) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	raw, err := os.ReadFile(examplesFile)
	if err != nil {
		return err
	}
	kept := book{}
	if err := json.Unmarshal(raw, &kept); err != nil {
		return err
	}
	examples, err := j.examples()
	if err != nil {
		return err
	}
	// A response may not fit any more while the body of its request still does.
	outdated := map[string]bool{}
	for _, example := range examples {
		if example.fits(j) != nil {
			outdated[example.name] = true
		}
	}
	for _, example := range examples {
		switch {
		case outdated[example.name]:
		case example.event:
			b.Events[example.name] = kept.Events[example.name]
		default:
			b.Operations[example.name] = kept.Operations[example.name]
		}
	}
	if raw, err = json.MarshalIndent(b, "", " "); err != nil {
		return err
	}
	return os.WriteFile(examplesFile, append(raw, '\n'), 0o600)
}

// documentedExample is an example in the document, and the schema that it
// belongs to.
type documentedExample struct {
	name    string
	event   bool
	pointer string
	value   json.RawMessage
}

func (e *documentedExample) fits(j *judge) error {
	if e.value == nil {
		return fmt.Errorf("there is no example")
	}
	return j.validate(e.pointer, e.value)
}

// exampleMeta is the meta of every example.
const exampleMeta = `{"simulation":true,"request_id":"req_8k2m4x7q0v5dn","server_time":"2026-09-07T08:00:04.250000Z",` +
	`"api_version":"2026-09"}`

// examples lists what is to have an example: each success with a JSON answer,
// each request body and each type of events that is delivered.
func (j *judge) examples() ([]documentedExample, error) {
	raw, err := os.ReadFile(examplesFile)
	if err != nil {
		return nil, err
	}
	kept := book{}
	if err := json.Unmarshal(raw, &kept); err != nil {
		return nil, err
	}
	var all []documentedExample
	for _, o := range j.operations {
		at := "/paths/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(o.path) + "/" + strings.ToLower(o.method)
		for _, status := range []string{"200", "201", "202"} {
			if o.responses[status].Content["application/json"] == nil {
				continue
			}
			e := documentedExample{name: o.exampleName(status), pointer: at + "/responses/" + status}
			if data := kept.Operations[e.name].Data; data != nil {
				e.value = fmt.Appendf(nil, `{"meta":%s,"data":%s}`, exampleMeta, data)
			}
			all = append(all, e)
		}
		if o.body["application/json"] != nil && !o.bodyOptional {
			all = append(all, documentedExample{
				name: o.id, pointer: at + "/requestBody", value: kept.Operations[o.id].Body,
			})
		}
	}
	for i := range all {
		all[i].pointer += "/content/application~1json/schema"
	}
	for _, name := range append(slices.Clone(j.eventTypes), "webhook.ping") {
		if strings.HasPrefix(name, "sandbox.webhook.") {
			continue // about a subscription, and delivered to none
		}
		body := kept.Events[name]
		all = append(all, documentedExample{
			name: name, pointer: "/components/schemas/DeliveredEvent", value: body, event: true,
		})
		if body != nil && name != "webhook.ping" {
			all = append(all, documentedExample{
				name: name, pointer: "/components/schemas/FeedEvent", event: true,
				value: append([]byte(`{"seq":1,`), body[1:]...),
			})
		}
	}
	return all, nil
}

// TestEveryExampleIsTrue: the document's examples fit its descriptions of
// answers, bodies and deliveries. Run with -update when a row or a body has
// changed.
func TestEveryExampleIsTrue(t *testing.T) {
	t.Parallel()
	owed, err := owedRows()
	if err != nil {
		t.Fatal(err)
	}
	examples, err := shared.judge.examples()
	if err != nil {
		t.Fatal(err)
	}
	for _, example := range examples {
		row := "EVT.TYPE." + strings.ToUpper(example.name)
		if example.event && slices.Contains(owed, row) {
			continue
		}
		if err := example.fits(shared.judge); err != nil && !*update {
			t.Errorf("%s at %s: %v", example.name, example.pointer, err)
		}
	}
}

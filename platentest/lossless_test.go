package platentest_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"platen/client"
)

// losesNothing reads every list, and the objects, and compares what the client
// made of each answer with the answer: the types have each member, and no more.
func losesNothing(t *testing.T, c *client.Client, last *client.Exchange) {
	t.Helper()
	rows := 0
	methods := reflect.ValueOf(c)
	for m := range methods.Type().Methods() {
		list := strings.HasPrefix(m.Name, "List")
		// A list inside of a record needs its id; none of them has rows here.
		if list && m.Type.NumIn() > 3 {
			continue
		}
		if !list && m.Name != "GetSandbox" && m.Name != "GetCash" {
			continue
		}
		in := []reflect.Value{reflect.ValueOf(t.Context())}
		if list {
			in = append(in, reflect.Zero(m.Type.In(2)))
		}
		out := methods.MethodByName(m.Name).Call(in)
		if err := out[1].Interface(); err != nil {
			t.Errorf("%s: %v", m.Name, err)
			continue
		}
		data, made := unmarshal(t, last.Response).(map[string]any)["data"], out[0].Interface()
		if list {
			data, made = data.(map[string]any)["items"], out[0].Elem().FieldByName("Items").Interface()
			rows += len(data.([]any))
		}
		b, err := json.Marshal(made)
		if err != nil {
			t.Fatal(err)
		}
		alike(t, m.Name, data, unmarshal(t, b))
	}
	if rows < 50 {
		t.Errorf("only %d rows were compared", rows)
	}
}

func unmarshal(t *testing.T, b []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// alike compares JSON values; times are alike when they are the same moment.
func alike(t *testing.T, at string, want, got any) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		got, _ := got.(map[string]any)
		for name := range want {
			alike(t, at+"."+name, want[name], got[name])
			if _, ok := got[name]; !ok {
				t.Errorf("%s has no %s", at, name)
			}
		}
		for name := range got {
			if _, ok := want[name]; !ok {
				t.Errorf("%s has a %s that the server does not send", at, name)
			}
		}
	case []any:
		got, _ := got.([]any)
		if len(got) != len(want) {
			t.Errorf("%s has %d items, want %d", at, len(got), len(want))
			return
		}
		for i := range want {
			alike(t, at+"[]", want[i], got[i])
		}
	case string:
		if a, err := time.Parse(time.RFC3339Nano, want); err == nil {
			text, _ := got.(string)
			if b, err := time.Parse(time.RFC3339Nano, text); err == nil && a.Equal(b) {
				return
			}
		}
		if got != want {
			t.Errorf("%s is %v, want %v", at, got, want)
		}
	default:
		if got != want {
			t.Errorf("%s is %v, want %v", at, got, want)
		}
	}
}

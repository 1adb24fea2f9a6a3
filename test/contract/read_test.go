package contract

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"platen/test/testclient"
)

type object = testclient.Object

// want fails unless the answer has the status and, for refusals, the code.
func (a *answer) want(status int, code string) *answer {
	a.T.Helper()
	a.Want(status, code)
	return a
}

// details are those of a refusal.
func (a *answer) details() object {
	a.T.Helper()
	details, _ := a.Failure()["details"].(object)
	return details
}

// hint returns the hint of a refusal.
func (a *answer) hint() string {
	a.T.Helper()
	return text(a.Failure(), "hint")
}

// rawData is the data as it was sent.
func (a *answer) rawData() string { return string(member(a.T, a.Raw, "data")) }

// member returns one member of an object as it was sent.
func member(t testing.TB, raw []byte, name string) json.RawMessage {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return members[name]
}

// order lists the members of an object in the order in which they were sent.
func order(t testing.TB, raw []byte) []string {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(raw))
	var list []string
	if _, err := decoder.Token(); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			t.Fatalf("%v: %s", err, raw)
		}
		text, _ := name.(string)
		list = append(list, text)
		var skipped json.RawMessage
		if err := decoder.Decode(&skipped); err != nil {
			t.Fatalf("%v: %s", err, raw)
		}
	}
	return list
}

func names(o object) []string { return slices.Sorted(maps.Keys(o)) }

// has reports the members that an object lacks.
func has(t testing.TB, what string, o object, members ...string) {
	t.Helper()
	for _, name := range members {
		if _, ok := o[name]; !ok {
			t.Errorf("%s has no %s: %v", what, name, names(o))
		}
	}
}

// text is a member that is a string; null and none are "".
func text(o object, name string) string {
	s, _ := o[name].(string)
	return s
}

// number is a member that is an integer.
func number(t testing.TB, o object, name string) int64 {
	t.Helper()
	n, _ := o[name].(json.Number)
	i, err := strconv.ParseInt(n.String(), 10, 64)
	if err != nil {
		t.Fatalf("%s is %v, which is no integer", name, o[name])
	}
	return i
}

// moment is a timestamp.
func moment(t testing.TB, value any) time.Time {
	t.Helper()
	s, _ := value.(string)
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		t.Fatalf("%v is no timestamp", value)
	}
	return at
}

// child is a member that is an object.
func child(t testing.TB, o object, name string) object {
	t.Helper()
	c, ok := o[name].(object)
	if !ok {
		t.Fatalf("%s is %v, which is no object", name, o[name])
	}
	return c
}

// children is a member that is a list of objects.
func children(t testing.TB, o object, name string) []object {
	t.Helper()
	list, ok := o[name].([]any)
	if !ok {
		t.Fatalf("%s is %v, which is no list", name, o[name])
	}
	all := make([]object, len(list))
	for i := range list {
		all[i], _ = list[i].(object)
	}
	return all
}

// texts is a member that is a list of strings.
func texts(o object, name string) []string {
	list, _ := o[name].([]any)
	all := make([]string, len(list))
	for i := range list {
		all[i], _ = list[i].(string)
	}
	return all
}

// one returns the object whose member has a value.
func one(t testing.TB, list []object, name, value string) object {
	t.Helper()
	for _, o := range list {
		if text(o, name) == value {
			return o
		}
	}
	t.Fatalf("none of %d has %s %q", len(list), name, value)
	return nil
}

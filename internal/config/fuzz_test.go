package config_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"platen/internal/config"
)

// FuzzFile: a file that is taken names settings only, each with a value of a
// kind that it can have, says the same when it is read again, and leaves all
// others as they were.
func FuzzFile(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"listen":"127.0.0.1:1","trusted-proxy":["10.0.0.0/8","::1/128"],"key-rate":5,"proxy-protocol":true,` +
			`"grace":"1m"}`, `{"trusted-proxy":"10.0.0.0/8,::1/128"}`,
		`{"trusted-proxy":[]}`, `{"listen":null}`, `{"listen":{"a":"b"}}`,
		`{"listen":["a","b"]}`, `{"key-rate":["5"]}`, `{"key-rate":1e3}`, `{"key-rate":"05"}`, `{"key-rate":1.0}`,
		`{"trusted-proxy":[1]}`, `{"trusted-proxy":[["10.0.0.0/8"]]}`, `{"unknown":1}`,
		`{"listen":"a","listen":"b"}`, `[]`, `null`, ``, `{"secret-key":{"of":"thirty-two characters or more"}}`,
		`{"grace":"1e9h"}`, `{"ban":"-1s"}`, `{"proxy-protocol":"true"}`, `{"proxy-protocol":1}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		read, again, plain := config.Default(), config.Default(), config.Default()
		if read.File(file) != nil {
			return
		}
		var members map[string]any
		if err := json.Unmarshal(file, &members); err != nil && string(file) != "null" {
			t.Fatalf("%q is taken: %v", file, err)
		}
		if err := again.File(file); err != nil || !reflect.DeepEqual(read, again) {
			t.Errorf("%q is read as %+v, and then as %+v, %v", file, read, again, err)
		}
		names := []string{}
		for i, field := range read.Fields() {
			names = append(names, field.Name)
			value, named := members[field.Name]
			if !named && !reflect.DeepEqual(field.Target, plain.Fields()[i].Target) {
				t.Errorf("%q sets %s, which it does not name", file, field.Name)
			}
			if named && !possible(field.Target, value) {
				t.Errorf("%q: %s can be %v", file, field.Name, value)
			}
		}
		for name := range members {
			if !slices.Contains(names, name) {
				t.Errorf("%q names %q", file, name)
			}
		}
		_ = read.Check() // whatever it says, it says it without a panic
	})
}

// possible reports whether a value of a file is of a kind that a setting takes:
// a text or a number for each, true or false for those that are, and lists of
// texts for lists.
func possible(target, value any) bool {
	switch value := value.(type) {
	case string, float64:
		return true
	case bool:
		_, ok := target.(*bool)
		return ok
	case []any:
		_, ok := target.(*[]string)
		return ok && !slices.ContainsFunc(value, func(one any) bool { _, text := one.(string); return !text })
	default:
		return false
	}
}

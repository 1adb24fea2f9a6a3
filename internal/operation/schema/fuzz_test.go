package schema_test

import (
	stdjson "encoding/json"
	"errors"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"platen/internal/operation/schema"
	"platen/internal/words/problem"
)

// published validates bodies by the schemas of the document alone.
type published struct {
	in     *schema.Input
	schema *jsonschema.Schema
	// arguments are the fields of the body as the arguments of a tool, subset is
	// their published schema.
	arguments *schema.Arguments
	subset    *jsonschema.Schema
}

func publish(t testing.TB, types ...reflect.Type) []published {
	t.Helper()
	r := schema.New()
	all := make([]published, len(types))
	for i, of := range types {
		all[i].in = mustInput(t, r, of)
	}
	text, err := stdjson.Marshal(map[string]any{"components": map[string]any{"schemas": r.Schemas()}})
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("https://platen.test/openapi.json", document); err != nil {
		t.Fatal(err)
	}
	for i := range all {
		if all[i].schema, err = c.Compile("https://platen.test/openapi.json" + all[i].in.Ref().Ref); err != nil {
			t.Fatal(err)
		}
		if all[i].arguments, err = schema.NewArguments(all[i].in.Arguments()...); err != nil {
			t.Fatal(err)
		}
		all[i].subset = compileSubset(t, all[i].arguments)
	}
	return all
}

// compileSubset is the schema that is published for arguments.
func compileSubset(t testing.TB, arguments *schema.Arguments) *jsonschema.Schema {
	t.Helper()
	text, err := stdjson.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("https://platen.test/tool.json", document); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("https://platen.test/tool.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// stricter are the rules that only this package has.
var stricter = map[string]bool{"integer": true, "number": true}

// exponent finds numbers that jsonschema would write out in full, or panic at.
var exponent = regexp.MustCompile(`[0-9][eE]`)

// check holds Decode against its promises and the published schema.
func (p published) check(t interface{ Errorf(string, ...any) }, body []byte) {
	v, err := p.in.Decode(body)
	var refused *problem.Problem
	if err != nil &&
		(!errors.As(err, &refused) || refused.Code != problem.InvalidJSON && refused.Code != problem.ValidationFailed) {
		t.Errorf("%q: neither accepted nor refused: %v", body, err)
		return
	}
	if err == nil {
		p.checkAgain(t, body, v)
	}
	p.checkArguments(t, body, refused)
	if exponent.Match(body) || refused != nil && refused.Code == problem.InvalidJSON {
		return
	}
	document, parseErr := jsonschema.UnmarshalJSON(strings.NewReader(string(body)))
	if parseErr != nil {
		t.Errorf("%q: not invalid_json, and jsonschema cannot read it: %v", body, parseErr)
		return
	}
	invalid := p.schema.Validate(document)
	if err == nil && invalid != nil {
		t.Errorf("%q: accepted against the published schema: %v", body, invalid)
	}
	if err == nil || invalid != nil {
		return
	}
	for _, f := range fieldsOf(refused) {
		if !stricter[f.Rule] && !strings.Contains(f.Message, "control character") &&
			!strings.Contains(f.Message, "a time,") {
			t.Errorf("%q: refused with %+v, which the published schema does not say", body, f)
		}
	}
}

// checkAgain encodes what was accepted and expects it to mean the same.
func (p published) checkAgain(t interface{ Errorf(string, ...any) }, body []byte, v any) {
	encoded, err := json.Marshal(v)
	if err != nil {
		t.Errorf("%q: encode again: %v", body, err)
		return
	}
	again, err := p.in.Decode(encoded)
	if err != nil {
		t.Errorf("%q: encoded again as %q and refused: %v", body, encoded, err)
		return
	}
	if diff := cmp.Diff(v, again); diff != "" {
		t.Errorf("%q: encoded again as %q and different:\n%s", body, encoded, diff)
	}
}

// checkArguments expects the same faults of a body and of the same arguments,
// and accepted arguments to be as their published schema says. Arguments may be
// null.
func (p published) checkArguments(t interface{ Errorf(string, ...any) }, body []byte, refused *problem.Problem) {
	given, faults, err := p.arguments.Read(body)
	if (err != nil) != (refused != nil && refused.Code == problem.InvalidJSON) {
		if len(body) > 0 && string(body) != "null" {
			t.Errorf("%q: as arguments %v, as a body %v", body, err, refused)
		}
		return
	}
	if err != nil {
		return
	}
	if !strings.Contains(string(body), "null") {
		var want []problem.Field
		if refused != nil {
			want = fieldsOf(refused)
		}
		if diff := cmp.Diff(want, faults, keywords); diff != "" {
			t.Errorf("%q: the faults as arguments differ from those as a body:\n%s", body, diff)
		}
	}
	if len(faults) > 0 || exponent.Match(body) {
		return
	}
	encoded, err := stdjson.Marshal(given)
	if err != nil {
		t.Errorf("%q: %v", body, err)
		return
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(encoded)))
	if err != nil {
		t.Errorf("%q: %v", body, err)
	} else if err := p.subset.Validate(document); err != nil {
		t.Errorf("%q: arguments accepted against their published schema: %v", body, err)
	}
}

// keywords compares rules as arguments name them.
var keywords = cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "Rule" },
	cmp.Transformer("keyword", func(rule string) string {
		switch rule {
		case "unknown":
			return "additionalProperties"
		case "integer":
			return "type"
		}
		return rule
	}))

func fuzzed(t testing.TB) []published {
	t.Helper()
	return publish(t, reflect.TypeFor[createSandbox](), reflect.TypeFor[startPrintRun](), reflect.TypeFor[placeOrder](),
		reflect.TypeFor[everything]())
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"preset":"starter","seed":7,"bridge":"auto"}`,
		`{"press_id":"prs_1","work_order_ids":["wo_1","wo_2"],"overs_pct":3,"operator_badge_no":"B-7"}`,
		`{"lines":[{"sku":"POSTER-A2","quantity":500},{"sku":"x","quantity":1}],"reference":"so_1",` +
			`"needed_by":"2026-09-07"}`,
		`{"flag":true,"note":null,"code":"AB","at":"2026-09-07T08:30:00.5+02:00","ratio":1.5,"share":12.34,` +
			`"labels":{"a":"b"},"free":[1,{"x":null}],"place":{"row":1},"numbers":[1,2]}`,
		`{"lines":[{"sku":"a","s\u006bu":"b"}]}`, `{"lines":[{"quantity":1e2}],"x":1}`, `[`, `{"preset":"\ud800"}`,
		"{\"preset\":\"\u0085\"}", ``,
	} {
		f.Add([]byte(seed))
	}
	all := fuzzed(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, p := range all {
			p.check(t, body)
		}
	})
}

// candidates are members with values on both sides of each limit.
var candidates = []map[string][]string{
	{
		"preset": {`""`, `"a"`, `"` + strings.Repeat("é", 40) + `"`, `"` + strings.Repeat("é", 41) + `"`},
		"seed":   {"-1", "0", "9007199254740991", "9007199254740992", "1.0"},
		"bridge": {`"auto"`, `"manual"`, `"Auto"`, `""`},
	},
	{
		"press_id":      {`""`, `"a"`},
		"work_order_id": {`"a"`},
		"work_order_ids": {"[]", `["a"]`, `["a","a"]`, `["a","b","c","d","e","f"]`,
			`["a","b","c","d","e","f","g"]`, `["a",1]`},
		"overs_pct": {"-1", "0", "20", "21"},
	},
	{
		"lines": {
			"[]", `[{"sku":"a","quantity":1}]`, `[{"sku":"a","quantity":0}]`, `[{"sku":"a","quantity":200000}]`,
			`[{"sku":"a","quantity":200001}]`, `[{"sku":"a"}]`, `[{"sku":"a","quantity":1,"other":1}]`,
			`[` + strings.Repeat(`{"sku":"a","quantity":1},`, 9) + `{"sku":"a","quantity":1}]`,
			`[` + strings.Repeat(`{"sku":"a","quantity":1},`, 10) + `{"sku":"a","quantity":1}]`,
		},
		"reference": {`""`, `"` + strings.Repeat("é", 64) + `"`, `"` + strings.Repeat("é", 65) + `"`},
		"needed_by": {`"2026-02-28"`, `"2026-02-29"`, `"2028-02-29"`, `"2026-2-3"`, `"2026-02-28T10:00:00Z"`},
	},
	{
		"flag": {"true", "false", `"true"`},
		"note": {`"é"`, `"éé"`, `"éééé"`, `"ééééé"`},
		"code": {`"AB"`, `"ab"`},
		"raw":  {`"xx"`, `""`},
		"at": {`"2026-02-28T10:00:00Z"`, `"2026-02-28T10:00:00.5-03:00"`,
			`"2026-02-30T10:00:00Z"`, `"2026-02-28"`},
		"day":      {`"2026-02-28"`, `"2026-02-30"`},
		"ratio":    {"0.5", "0.49", "7"},
		"share":    {"0", "-0.01", "100", "100.01"},
		"level":    {"0", "1", "3", "4"},
		"any":      {"1", "9223372036854775807"},
		"labels":   {"{}", `{"a":"","b":""}`, `{"a":"","b":"","c":""}`, `{"a":1}`},
		"free":     {"1", "{}", `[{"a":null}]`},
		"place":    {"{}", `{"row":1}`, `{"row":1,"other":1}`},
		"numbers":  {"[]", "[1,2]", "[2,2]", `["1"]`},
		"optional": {`"a"`, `"c"`},
	},
}

// TestWhatIsEnforcedIsWhatIsPublished draws bodies that are nearly right.
func TestWhatIsEnforcedIsWhatIsPublished(t *testing.T) {
	t.Parallel()
	all := fuzzed(t)
	wild := []string{"null", "true", "1", `"a"`, "[]", "{}", `"\u0007"`}
	body := rapid.Custom(func(t *rapid.T) drawn {
		at := rapid.IntRange(0, len(all)-1).Draw(t, "input")
		names := slices.Sorted(maps.Keys(candidates[at]))
		var members []string
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 1, 3, rapid.ID[string]).Draw(t, "names") {
			values := candidates[at][name]
			if rapid.IntRange(0, 9).Draw(t, "kind") == 0 {
				values = wild
			}
			members = append(members, `"`+name+`":`+rapid.SampledFrom(values).Draw(t, "value"))
		}
		if rapid.IntRange(0, 9).Draw(t, "unknown") == 0 {
			members = append(members, `"other":1`)
		}
		return drawn{at, "{" + strings.Join(members, ",") + "}"}
	})
	rapid.Check(t, func(t *rapid.T) {
		for _, b := range rapid.SliceOfN(body, 20, 20).Draw(t, "bodies") {
			all[b.input].check(t, []byte(b.body))
		}
	})
}

// drawn is a body for one of the inputs.
type drawn struct {
	input int
	body  string
}

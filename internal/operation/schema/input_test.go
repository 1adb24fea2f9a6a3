package schema_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"platen/internal/operation/schema"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
	"platen/internal/words/share"
)

type createSandbox struct {
	Preset string  `json:"preset,omitzero" maxLength:"40" doc:"Name of the preset." default:"starter"`
	Seed   *int64  `json:"seed,omitzero" minimum:"0" maximum:"9007199254740991" example:"7"`
	Bridge *string `json:"bridge,omitzero" enum:"auto,manual"`
}

type startPrintRun struct {
	PressID         string   `json:"press_id" required:"true"`
	WorkOrderID     *string  `json:"work_order_id,omitzero"`
	WorkOrderIDs    []string `json:"work_order_ids,omitzero" minItems:"1" maxItems:"6" uniqueItems:"true"`
	OversPct        *int64   `json:"overs_pct,omitzero" minimum:"0" maximum:"20"`
	OperatorBadgeNo *string  `json:"operator_badge_no,omitzero" maxLength:"20"`
}

type orderLine struct {
	SKU      string `json:"sku" required:"true"`
	Quantity int64  `json:"quantity" required:"true" minimum:"1" maximum:"200000"`
}

type placeOrder struct {
	Lines     []orderLine  `json:"lines" required:"true" minItems:"1" maxItems:"10"`
	Reference *string      `json:"reference,omitzero" maxLength:"64"`
	NeededBy  *moment.Date `json:"needed_by,omitzero"`
}

type everything struct {
	Flag     *bool             `json:"flag,omitzero"`
	Note     *string           `json:"note,omitzero" nullable:"true" minLength:"2" maxLength:"4"`
	Code     *string           `json:"code,omitzero" pattern:"^[A-Z]{2}$" patternDescription:"two capital letters"`
	Raw      *string           `json:"raw,omitzero" pattern:"^x+$"`
	At       *moment.Instant   `json:"at,omitzero"`
	Day      *string           `json:"day,omitzero" format:"date"`
	Ratio    *float64          `json:"ratio,omitzero" minimum:"0.5"`
	Share    *share.PerCent    `json:"share,omitzero" minimum:"0" maximum:"100"`
	Level    *int64            `json:"level,omitzero" enum:"1,2,3" nullable:"true"`
	Any      *int64            `json:"any,omitzero"`
	Labels   map[string]string `json:"labels,omitzero" maxProperties:"2"`
	Free     jsontext.Value    `json:"free,omitzero"`
	Place    *spot             `json:"place,omitzero"`
	Numbers  []int64           `json:"numbers,omitzero" uniqueItems:"true"`
	Optional *string           `json:"optional,omitzero" nullable:"true" enum:"a,b"`
}

type spot struct {
	Row int64 `json:"row" required:"true"`
}

func mustInput(t testing.TB, r *schema.Registry, of reflect.Type) *schema.Input {
	t.Helper()
	in, err := schema.NewInput(r, of)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func inputOf[T any](t testing.TB) *schema.Input {
	t.Helper()
	return mustInput(t, schema.New(), reflect.TypeFor[T]())
}

func refusal(t testing.TB, in *schema.Input, body string) *problem.Problem {
	t.Helper()
	v, err := in.Decode([]byte(body))
	if err == nil {
		t.Fatalf("%.200q was accepted as %+v", body, v)
	}
	var p *problem.Problem
	if !errors.As(err, &p) {
		t.Fatalf("%.200q: not a problem but %v", body, err)
	}
	return p
}

func fieldsOf(p *problem.Problem) []problem.Field {
	details, _ := p.Details.(problem.FieldDetails)
	return details.Fields
}

// TestAnIntegerMayBeSpelledLikeAnyNumber, as programs do that know floats alone. The fields
// beside it are decoded as they were sent.
func TestAnIntegerMayBeSpelledLikeAnyNumber(t *testing.T) {
	t.Parallel()
	zeros := strings.Repeat("0", 10_000)
	for literal, want := range map[string]int64{
		"60.0": 60, "6e1": 60, "6E+1": 60, "600e-1": 60, "0.6e2": 60, "60.000000": 60, "1" + zeros + "e-10000": 1,
		"2.5e1": 25, "199999.0e0": 199_999, "0.0001e4": 1,
	} {
		got, err := inputOf[placeOrder](t).Decode([]byte(
			`{"lines":[{"sku":"a \u00e9\"\\","quantity":` + literal + `}],"reference":"1.0","needed_by":"2028-02-29"}`))
		if err != nil {
			t.Errorf("%.30s: %v", literal, err)
			continue
		}
		if diff := cmp.Diff(&placeOrder{
			Lines:     []orderLine{{"a é\"\\", want}},
			Reference: new("1.0"), NeededBy: new(moment.NewDate(2028, time.February, 29)),
		}, got); diff != "" {
			t.Errorf("%.30s: %s", literal, diff)
		}
	}
	for literal, want := range map[string]int64{
		"-0": 0, "-0.0e5": 0, "0e99999999999999999999": 0, "9007199254740991.0": 9007199254740991,
	} {
		got, err := inputOf[createSandbox](t).Decode([]byte(`{"seed":` + literal + `}`))
		if s, ok := got.(*createSandbox); err != nil || !ok || *s.Seed != want {
			t.Errorf("%s: %+v, %v", literal, got, err)
		}
	}
	got, err := inputOf[everything](t).Decode([]byte(
		`{"numbers":[1.0,2e0],"free":[1.0,{"x":null,"y":[true,false,"\u0041"]},{}],` +
			`"flag":true,"ratio":1.50,"labels":{"a":"1.0"}}`))
	if e, ok := got.(*everything); err != nil || !ok || len(e.Numbers) != 2 || e.Numbers[1] != 2 ||
		string(e.Free) != `[1.0,{"x":null,"y":[true,false,"A"]},{}]` || e.Labels["a"] != "1.0" {
		t.Errorf("%+v, %v", got, err)
	}
	if p := refusal(t, inputOf[everything](t), `{"numbers":[1.0,1]}`); fieldsOf(p)[0].Rule != "uniqueItems" {
		t.Errorf("two spellings of one number are %+v", p)
	}
}

func TestAGoodBodyIsDecoded(t *testing.T) {
	t.Parallel()
	got, err := inputOf[placeOrder](t).Decode([]byte(` {"needed_by":"2028-02-29","lines":[{"quantity":200000,` +
		`"sku":"POSTER-A2"},{"sku":"ÅÄÖ 印刷 🖨️","quantity":1}],"reference":""} `))
	if err != nil {
		t.Fatal(err)
	}
	want := &placeOrder{
		Lines:     []orderLine{{"POSTER-A2", 200000}, {"ÅÄÖ 印刷 🖨️", 1}},
		Reference: new(""), NeededBy: new(moment.NewDate(2028, time.February, 29)),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("decoded differs (-want +got):\n%s", diff)
	}
}

func TestAnEmptyObjectIsGoodWhereNothingIsRequired(t *testing.T) {
	t.Parallel()
	in := inputOf[createSandbox](t)
	got, err := in.Decode([]byte("{}"))
	if diff := cmp.Diff(in.Empty(), got); diff != "" || err != nil {
		t.Errorf("decoded differs from Empty: %v\n%s", err, diff)
	}
}

func TestABodyThatIsNotOneJSONObjectIsInvalidJSON(t *testing.T) {
	t.Parallel()
	deep := func(levels int) string {
		return `{"a":` + strings.Repeat("[", levels-1) + strings.Repeat("]", levels-1) + `}`
	}
	for claim, c := range map[string]struct{ body, message string }{
		"empty":             {"", "ends at byte 0"},
		"white space":       {" \n\t\r ", "ends at byte 5"},
		"other white space": {"\u00a0", "at byte 0 stands"},
		"duplicate at the top": {`{"a":1,"a":2}`,
			`The field "a" stands twice in the object. The second one is at byte 7.`},
		"duplicate in an array": {`{"lines":[{},{"sku":"a","sku":"b"}]}`,
			`The field "sku" stands twice in the object at /lines/1. The second one is at byte 24.`},
		"duplicate by escape": {`{"lines":[{"sku":"a","s\u006bu":"b"}]}`,
			`The field "sku" stands twice in the object at /lines/0.`},
		"duplicate unknown": {`{"x":{"y":{"z":1,"z":1}}}`, `at /x/y`},
		"array":             {` [1]`, "The body is an array at byte 1; it must be a JSON object."},
		"string":            {`"x"`, "The body is a string at byte 0"},
		"number":            {`12`, "The body is a number at byte 0"},
		"null":              {`null`, "The body is null at byte 0"},
		"trailing object":   {`{}{}`, "The object ends at byte 2, and something follows at byte 2"},
		"trailing word":     {`{} x`, "something follows at byte 3"},
		"trailing NUL":      {"{}\x00", "something follows at byte 2"},
		"unfinished":        {`{"a":[1`, "The body ends at byte 7, before its JSON object does."},
		"unfinished string": {`{"a":"b`, "The body ends at byte 7"},
		"lone brace":        {`{`, "ends at byte 1"},
		"NaN":               {`{"a":NaN}`, `at byte 5 stands "N", which cannot be there`},
		"single quotes":     {`{"a":'b'}`, `at byte 5 stands "'"`},
		"bare name":         {`{a:1}`, `at byte 1 stands "a"`},
		"number as a name":  {`{1:1}`, `stands "1" where a field's name`},
		"missing colon":     {`{"a" 1}`, `stands "1" where a colon must be`},
		"missing comma":     {`{"a":[1 2]}`, `stands "2" where a comma or a closing bracket must be`},
		"comma too many":    {`{"a":1, }`, "at byte 6 stands a comma after which nothing follows"},
		"leading zero":      {`{"a":01}`, `at byte 6 stands "1"`},
		"no value":          {`{"a":}`, `at byte 5 stands "}" where a field's value must be`},
		"minus alone":       {`{"a":-}`, `at byte 6 stands "}" where a digit must be`},
		"byte order mark":   {"\ufeff{}", `at byte 0 stands "\ufeff"`},
		"invalid UTF-8":     {"{\"a\":\"\xff\"}", "at byte 6 there is something that is not valid UTF-8"},
		"cut UTF-8":         {"{\"a\":\"\xe2\x82\"}", "at byte 6 there is something that is not valid UTF-8"},
		"UTF-16":            {"\xff\xfe{\x00", "at byte 0 there is something that is not valid UTF-8"},
		"half a surrogate pair": {`{"a":"x\ud800"}`,
			"at byte 7 an escape stands for one half of a surrogate pair"},
		"the other half":             {`{"a":"\uDC00"}`, "half of a surrogate pair"},
		"half a pair in a name":      {`{"\ud800":1}`, "half of a surrogate pair"},
		"unknown escape":             {`{"a":"\x"}`, "stands an escape that JSON does not have"},
		"bare control character":     {"{\"a\":\"\x01\"}", `stands the control character "\x01"`},
		"33 levels":                  {deep(33), "nested deeper than 32 levels"},
		"16 KiB of opening brackets": {strings.Repeat("[", 16<<10), "The body is an array at byte 0"},
		"the same in an object":      {`{"a":` + strings.Repeat("[", 16<<10), "nested deeper than 32 levels"},
		"objects without an end":     {strings.Repeat(`{"a":`, 4<<10), "nested deeper than 32 levels"},
	} {
		t.Run(claim, func(t *testing.T) {
			t.Parallel()
			p := refusal(t, inputOf[placeOrder](t), c.body)
			if p.Code != problem.InvalidJSON || !strings.Contains(p.Message, c.message) {
				t.Errorf("%.80q: got %s %q, want invalid_json with %q", c.body, p.Code, p.Message, c.message)
			}
		})
	}
	if p := refusal(t, inputOf[createSandbox](t), deep(32)); p.Code != problem.ValidationFailed {
		t.Errorf("32 levels: got %s, want validation_failed for the unknown member alone", p.Code)
	}
}

func TestABadFieldIsNamedWithItsRule(t *testing.T) {
	t.Parallel()
	sandbox, run, order, all := inputOf[createSandbox](t), inputOf[startPrintRun](t), inputOf[placeOrder](t),
		inputOf[everything](t)
	line := func(quantity string) string { return `{"lines":[{"sku":"a","quantity":` + quantity + `}]}` }
	long := strings.Repeat("é", 41)
	for claim, c := range map[string]struct {
		in      *schema.Input
		body    string
		field   string
		rule    string
		message string
	}{
		"required": {order, `{}`, "lines", "required", "lines is required and missing."},
		"required inside": {order, `{"lines":[{"quantity":1}]}`, "lines[0].sku", "required",
			"lines[0].sku is required and missing."},
		"required of an optional": {all, `{"place":{}}`, "place.row", "required",
			"place.row is required and missing."},
		"unknown, misspelt": {order, `{"lines":[{"sku":"a","quantity":1,"quantiy":1}]}`,
			"lines[0].quantiy", "unknown", "lines[0].quantiy is not known; did you mean quantity?"},
		"unknown, other convention": {run, `{"press_id":"a","workOrderId":"b"}`, "workOrderId", "unknown",
			"workOrderId is not known; did you mean work_order_id?"},
		"unknown, other case": {sandbox, `{"SEED":1}`, "SEED", "unknown",
			"SEED is not known; did you mean seed?"},
		"unknown, far from all": {sandbox, `{"colour":1}`, "colour", "unknown",
			"colour is not known; known here: preset, seed, bridge."},
		"unknown, odd name": {sandbox, `{"a\u0000 b":1}`, `["a\x00 b"]`, "unknown",
			`["a\x00 b"] is not known; known here: preset, seed, bridge.`},
		"unknown, empty name": {sandbox, `{"":1}`, `[""]`, "unknown",
			`[""] is not known; known here: preset, seed, bridge.`},
		"decimals": {order, line("60.5"), "lines[0].quantity", "integer",
			"lines[0].quantity must be a whole number that fits 64 bits; it is 60.5."},
		"exponent": {order, line("15e-1"), "lines[0].quantity", "integer", "it is 15e-1."},
		"huge negative exponent": {order, line("1e-999999999999999999999"), "lines[0].quantity", "integer",
			"it is 1e-999999999999999999999."},
		"2^63 with a point": {order, line("9223372036854775808.0"), "lines[0].quantity", "integer",
			"it is 9223372036854775808."},
		"above the maximum": {order, line("2e6"), "lines[0].quantity", "maximum", "it is 2000000."},
		"huge exponent": {order, line("1e999999999"), "lines[0].quantity", "integer",
			"it is 1e999999999."},
		"minus zero": {order, line("-0.0"), "lines[0].quantity", "minimum", "it is 0."},
		"2^63": {order, line("9223372036854775808"), "lines[0].quantity", "integer",
			"it is 9223372036854775808."},
		"-2^63-1": {all, `{"any":-9223372036854775809}`, "any", "integer",
			"it is -9223372036854775809."},
		"ten thousand digits": {order, line(strings.Repeat("9", 10_000)), "lines[0].quantity", "integer",
			"it is " + strings.Repeat("9", 40) + "…."},
		"integer in quotes": {order, line(`"5"`), "lines[0].quantity", "type",
			`lines[0].quantity must be a whole number; it is the string "5".`},
		"null": {order, line("null"), "lines[0].quantity", "type", "it is null."},
		"null for a pointer": {sandbox, `{"seed":null}`, "seed", "type",
			"seed must be a whole number; it is null."},
		"null for an array": {order, `{"lines":null}`, "lines", "type",
			"lines must be an array; it is null."},
		"null for an item": {order, `{"lines":[null]}`, "lines[0]", "type",
			"lines[0] must be an object; it is null."},
		"null for an object": {all, `{"place":null}`, "place", "type",
			"place must be an object; it is null."},
		"null for a date": {order, `{"lines":[{"sku":"a","quantity":1}],"needed_by":null}`,
			"needed_by", "type", "it is null."},
		"array for object": {all, `{"place":[]}`, "place", "type", "it is an array."},
		"object for array": {order, `{"lines":{}}`, "lines", "type", "it is an object."},
		"text for a flag": {all, `{"flag":"true"}`, "flag", "type",
			`flag must be true or false; it is the string "true".`},
		"flag for a text": {sandbox, `{"preset":true}`, "preset", "type",
			"preset must be a string; it is true."},
		"wrong type of a nullable": {all, `{"note":1}`, "note", "type",
			"note must be a string or null; it is 1."},
		"minimum": {order, line("0"), "lines[0].quantity", "minimum",
			"lines[0].quantity must be at least 1; it is 0."},
		"maximum": {order, line("200001"), "lines[0].quantity", "maximum",
			"lines[0].quantity must be at most 200000; it is 200001."},
		"maximum at the edge of exactness": {sandbox, `{"seed":9007199254740992}`, "seed", "maximum",
			"seed must be at most 9007199254740991; it is 9007199254740992."},
		"maximum beyond exactness": {sandbox, `{"seed":9223372036854775807}`, "seed", "maximum",
			"it is 9223372036854775807."},
		"negative minimum": {sandbox, `{"seed":-1}`, "seed", "minimum",
			"seed must be at least 0; it is -1."},
		"maxLength in code points": {sandbox, `{"preset":"` + long + `"}`, "preset", "maxLength",
			"preset must have at most 40 characters; it has 41."},
		"minLength": {all, `{"note":"é"}`, "note", "minLength",
			"note must have at least 2 characters; it has 1."},
		"enum": {sandbox, `{"bridge":"Auto"}`, "bridge", "enum",
			`bridge must be "auto" or "manual"; it is the string "Auto".`},
		"enum of integers": {all, `{"level":4}`, "level", "enum", "level must be 1, 2 or 3; it is 4."},
		"pattern in words": {all, `{"code":"ab"}`, "code", "pattern",
			`code must be two capital letters; it is the string "ab".`},
		"pattern": {all, `{"raw":"ab"}`, "raw", "pattern",
			`raw must match the pattern ^x+$; it is the string "ab".`},
		"control character": {sandbox, `{"preset":"a\u0007"}`, "preset", "pattern",
			"preset must not contain control characters; it contains U+0007."},
		"a turn of direction": {sandbox, `{"preset":"a\u202e"}`, "preset", "pattern",
			"preset must not contain control characters; it contains U+202E."},
		"line break": {sandbox, `{"preset":"a\n"}`, "preset", "pattern", "it contains U+000A."},
		"delete": {sandbox, "{\"preset\":\"\x7f\"}", "preset", "pattern",
			"it contains U+007F."},
		"C1 control": {sandbox, "{\"preset\":\"\u009b\"}", "preset", "pattern",
			"it contains U+009B."},
		"control in an enum": {sandbox, `{"bridge":"\u0000"}`, "bridge", "pattern",
			"it contains U+0000."},
		"control in a free member": {all, `{"free":{"a":["\u0001"]}}`, "free", "pattern",
			"free must not contain control characters; it contains U+0001."},
		"control in a free name": {all, `{"free":{"\u0001":1}}`, "free", "pattern", "it contains U+0001."},
		"control in a label's name": {all, `{"labels":{"\u0001":"x"}}`, `labels["\x01"]`, "pattern",
			`labels["\x01"] must not have control characters in its name; it has U+0001.`},
		"label of a wrong type": {all, `{"labels":{"a":1}}`, "labels.a", "type",
			"labels.a must be a string; it is 1."},
		"maxProperties": {all, `{"labels":{"a":"","b":"","c":""}}`, "labels", "maxProperties",
			"labels must have at most 2 fields; it has 3."},
		"minItems": {order, `{"lines":[]}`, "lines", "minItems",
			"lines must have at least 1 item; it has 0."},
		"maxItems": {run, `{"press_id":"a","work_order_ids":["1","2","3","4","5","6","7"]}`,
			"work_order_ids", "maxItems", "work_order_ids must have at most 6 items; it has 7."},
		"uniqueItems": {run,
			`{"press_id":"a","work_order_ids":["a","b","\u0061"]}`, "work_order_ids", "uniqueItems",
			`work_order_ids must not name anything twice; the items 0 and 2 are both the string "a".`},
		"uniqueItems of integers": {all, `{"numbers":[1,2,1]}`, "numbers", "uniqueItems",
			"the items 0 and 2 are both 1."},
		"a day that is not": {order,
			`{"lines":[{"sku":"a","quantity":1}],"needed_by":"2026-02-30"}`, "needed_by", "format",
			`needed_by must be a day of the calendar, written like 2026-09-07; it is the string "2026-02-30".`},
		"a day with a time": {all, `{"day":"2026-02-03T00:00:00Z"}`, "day", "format",
			"day must be a day of the calendar"},
		"a day written short": {all, `{"day":"2026-2-3"}`, "day", "format",
			"day must be a day of the calendar"},
		"a time without a zone": {all, `{"at":"2026-02-03T00:00:00"}`, "at", "format",
			"at must be a time, written like 2026-09-07T08:30:00Z"},
		"a time with a comma": {all, `{"at":"2026-02-03T00:00:00,5Z"}`, "at", "format",
			"at must be a time"},
		"a time with a short hour": {all, `{"at":"2026-02-03T1:00:00Z"}`, "at", "format", "at must be a time"},
		"a time in no zone": {all, `{"at":"2026-02-03T01:00:00+24:00"}`, "at", "format",
			"at must be a time"},
		"a time after the last year": {all, `{"at":"9999-12-31T23:00:00-02:00"}`, "at", "format",
			"at must be a time"},
		"a ratio": {all, `{"ratio":0.25}`, "ratio", "minimum",
			"ratio must be at least 0.5; it is 0.25."},
		"a ratio beyond floats": {all, `{"ratio":1e999}`, "ratio", "number",
			"ratio must be a number that fits 64 bits; it is 1e999."},
		"a share": {all, `{"share":100.5}`, "share", "maximum",
			"share must be at most 100; it is 100.5."},
		"a share beyond floats": {all, `{"share":-1e999}`, "share", "minimum",
			"share must be at least 0; it is -1e999."},
	} {
		t.Run(claim, func(t *testing.T) {
			t.Parallel()
			p := refusal(t, c.in, c.body)
			fields := fieldsOf(p)
			if p.Code != problem.ValidationFailed || len(fields) != 1 {
				t.Fatalf("%.80q: got %s %q with %+v, want one bad field", c.body, p.Code, p.Message, fields)
			}
			if f := fields[0]; f.Field != c.field || f.Rule != c.rule ||
				!strings.HasSuffix(f.Message, c.message) && !strings.HasPrefix(f.Message, c.message) {
				t.Errorf("%.80q: got %+v, want %s, %s, %q", c.body, f, c.field, c.rule, c.message)
			}
		})
	}
}

func TestWhatTheContractAllowsIsAccepted(t *testing.T) {
	t.Parallel()
	sandbox, all := inputOf[createSandbox](t), inputOf[everything](t)
	for claim, c := range map[string]struct {
		in   *schema.Input
		body string
	}{
		"limits": {sandbox,
			`{"preset":"` + strings.Repeat("🖨", 40) + `","seed":9007199254740991,"bridge":"manual"}`},
		"least seed":         {sandbox, `{"seed":0}`},
		"widest integers":    {all, `{"any":-9223372036854775808,"numbers":[9223372036854775807]}`},
		"documented null":    {all, `{"note":null,"level":null,"optional":null}`},
		"whole pair":         {all, `{"note":"\ud83d\ude00!"}`},
		"odd Unicode":        {all, "{\"note\":\"\u200f\u200d\U000e0001\"}"},
		"times":              {all, `{"at":"2026-09-07T08:30:00.123456789+05:30","day":"2028-02-29"}`},
		"numbers":            {all, `{"ratio":1e2,"share":12.34}`},
		"free members":       {all, `{"free":{"a":[1.50,null,1e400]},"labels":{"x y":"z"}}`},
		"empty array":        {all, `{"numbers":[],"labels":{}}`},
		"escaped known name": {sandbox, `{"s\u0065ed":1}`},
	} {
		t.Run(claim, func(t *testing.T) {
			t.Parallel()
			if _, err := c.in.Decode([]byte(c.body)); err != nil {
				t.Errorf("%s: %v", c.body, err)
			}
		})
	}
}

func TestAllBadFieldsAreReportedInTheOrderOfTheStruct(t *testing.T) {
	t.Parallel()
	p := refusal(t, inputOf[placeOrder](t), `{
		"zeta": 1, "needed_by": "tomorrow", "reference": 7, "alpha": 1,
		"lines": [{"quantity": 0}, 5, {"price": 1, "quantity": "1", "sku": ""},
			{"sku": "a", "quantity": 2}, {"sku": null, "quantity": 200001}]
	}`)
	var got []string
	for _, f := range fieldsOf(p) {
		got = append(got, f.Field+" "+f.Rule)
	}
	want := []string{
		"lines[0].sku required", "lines[0].quantity minimum", "lines[1] type", "lines[2].quantity type",
		"lines[2].price unknown", "lines[4].sku type", "lines[4].quantity maximum", "reference type",
		"needed_by format", "zeta unknown", "alpha unknown",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fields differ (-want +got):\n%s", diff)
	}
	if want := "11 fields of the body are invalid; the details name each."; p.Message != want {
		t.Errorf("got %q, want %q", p.Message, want)
	}
}

func TestARefusalListsALimitedNumberOfFields(t *testing.T) {
	t.Parallel()
	var body strings.Builder
	body.WriteString(`{"press_id":""`)
	for n := range 1000 {
		fmt.Fprintf(&body, `,"x%d":1`, n)
	}
	body.WriteString(`}`)
	p := refusal(t, inputOf[startPrintRun](t), body.String())
	if n := len(fieldsOf(p)); n != schema.MaxFields {
		t.Errorf("got %d fields, want %d", n, schema.MaxFields)
	}
	if want := "1000 fields of the body are invalid; the details name the first 100."; p.Message != want {
		t.Errorf("got %q, want %q", p.Message, want)
	}
}

func TestMessagesEchoLittleAndNothingUnprintable(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("abcdefghij", 30)
	odd := `\u001b[31m\u202e\u0085\n`
	in := inputOf[everything](t)
	for _, body := range []string{
		`{"` + long + `":1}`, `{"` + odd + `":1}`, `{"code":"` + long + `"}`, `{"flag":"` + long + `"}`,
		`{"flag":"` + odd + `"}`, `{"labels":{"` + long + `":1}}`, `{"labels":{"` + odd + `":1}}`,
		`{"any":1` + strings.Repeat("1", 300) + `}`, `{"` + long + `":{"` + long + `":1,"` + long + `":1}}`,
		`{"` + odd + `":{"` + odd + `":1,"` + odd + `":1}}`, "{\"a\": \u0085}", "{\"a\": \u202e}", "{\"a\": \x1b}",
	} {
		p := refusal(t, in, body)
		texts := []string{p.Message}
		for _, f := range fieldsOf(p) {
			texts = append(texts, f.Message, f.Field)
		}
		for _, text := range texts {
			for _, bad := range []string{long[:41], strings.Repeat("1", 41), "\x1b", "\u202e", "\u0085", "\n"} {
				if strings.Contains(text, bad) {
					t.Errorf("%.60q: %q repeats %q", body, text, bad)
				}
			}
			if !utf8.ValidString(text) {
				t.Errorf("%.60q: %q is not valid UTF-8", body, text)
			}
		}
	}
}

func TestReadingTakesTimeInProportionToTheBody(t *testing.T) {
	t.Parallel()
	in := inputOf[everything](t)
	const size = 1 << 20 // 64 times what a body may have: a square would take minutes
	members := new(strings.Builder)
	for n := 0; members.Len() < size; n++ {
		fmt.Fprintf(members, `,"note%d":1`, n)
	}
	began := time.Now()
	for _, body := range []string{
		`{"numbers":[` + strings.Repeat("1.5,", size/4) + `1]}`, `{"numbers":[` + strings.Repeat("{},", size/3) + `1]}`,
		`{"any":` + strings.Repeat("1", size) + `}`, `{"ratio":` +
			strings.Repeat("1", size) + `e` + strings.Repeat("1", size) + `}`, `{"a":1` + members.String() + `}`,
		`{"` + strings.Repeat("x", size) + `":1}`, `{"note":"` + strings.Repeat(`\u0041`, size/6) + `"}`,
	} {
		_ = refusal(t, in, body)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("took %s", took)
	}
}

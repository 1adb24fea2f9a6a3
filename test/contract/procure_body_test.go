package contract

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// badLines are bodies with lines of material that no route takes, and the
// fields that are bad in them. stranger is no SKU at all. More may be added.
func badLines(stranger string, more map[string]string) map[string]string {
	line := `{"sku":"mat_ink","quantity":10}`
	bodies := map[string]string{
		`{}`:                  "lines",
		`{"lines":null}`:      "lines",
		`{"lines":{}}`:        "lines",
		`{"lines":"mat_ink"}`: "lines",
		`{"lines":[]}`:        "lines",
		`{"lines":[null]}`:    "lines[0]",
		`{"lines":[[]]}`:      "lines[0]",
		`{"lines":[{}]}`:      "lines[0].quantity lines[0].sku",
		`{"lines":[` + strings.Repeat(line+",", 10) + line + `]}`:        "lines",
		`{"lines":[{"sku":"","quantity":1}]}`:                            "lines[0].sku",
		`{"lines":[{"sku":7,"quantity":1}]}`:                             "lines[0].sku",
		`{"lines":[{"sku":"mat_ink"}]}`:                                  "lines[0].quantity",
		`{"lines":[{"quantity":1}]}`:                                     "lines[0].sku",
		`{"lines":[{"sku":"mat_ink","quantity":1},{"sku":"mat_plate"}]}`: "lines[1].quantity",
	}
	for _, quantity := range []string{
		"0", "-1", "200001", "9223372036854775807", "9223372036854775808", "1e30", "1.5", `"1"`, "null", "true", "[1]",
	} {
		bodies[`{"lines":[{"sku":"mat_ink","quantity":`+quantity+`}]}`] = "lines[0].quantity"
	}
	if stranger != "" {
		bodies[fmt.Sprintf(`{"lines":[{"sku":%q,"quantity":1}]}`, stranger)] = "lines[0].sku"
	}
	maps.Copy(bodies, more)
	return bodies
}

// namesFields sends bodies that are refused for some of their fields, and
// checks that each is named, that nothing changed, and that bodies that are no
// object at all are refused too.
func (n *tenant) namesFields(path string, bodies map[string]string) {
	t := n.t
	t.Helper()
	before, at := n.snapshot(), n.newest()
	for body, want := range bodies {
		a := n.post(path, body)
		if a.Status != http.StatusUnprocessableEntity || a.Code() != "validation_failed" {
			t.Errorf("%s: got %d %s, want 422 validation_failed for %s", a.asked, a.Status, a.Code(), want)
			continue
		}
		fields := badFields(a)
		slices.Sort(fields)
		if got := strings.Join(slices.Compact(fields), " "); got != want {
			t.Errorf("%s: named are %q, want %q", a.asked, got, want)
		}
	}
	for _, body := range []string{
		"", " ", "{", "[]", "null", "7", `"x"`, `{"lines":[]}{}`, `{"lines":[],"lines":[]}`, "\ufeff{}",
		`{"lines":[{"sku":"\ud800","quantity":1}]}`, "{\"a\":\"\xff\"}",
	} {
		if a := n.post(path, body); a.Status != http.StatusBadRequest || a.Code() != "invalid_json" {
			t.Errorf("%s: got %d %s, want 400 invalid_json", a.asked, a.Status, a.Code())
		}
	}
	n.post(path, "{}", "Content-Type", "text/plain").want(http.StatusUnsupportedMediaType, "unsupported_media_type")
	n.post(path, `{"lines":[]}`+strings.Repeat(" ", 16384)).want(http.StatusRequestEntityTooLarge, "body_too_large")
	if after := n.snapshot(); encode(t, after) != encode(t, before) || n.newest() != at {
		t.Errorf("refused bodies of %s changed the company", path)
	}
}

package contract

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"platen/test/testclient"
)

// TestABodyIsJSONHoweverItsTypeIsSpelled: RFC 9110 has types, names and charsets in any case, RFC 8259 no parameter
// that means anything.
func TestABodyIsJSONHoweverItsTypeIsSpelled(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.HTTP.SPELLINGS", "ERR.UNSUPPORTED_MEDIA_TYPE")
	n := shared.create(t, `{"clock":"manual"}`)
	status := func(contentType string) (api, agents int, said string) {
		a := n.call(http.MethodPatch, "/sandbox", `{"clock":"manual"}`, "Content-Type", contentType)
		initialize := shared.ask(t, testclient.Request{
			Method: http.MethodPost, URL: shared.Origin + "/mcp", Headers: []string{
				"Content-Type", contentType, "Accept", bothMedia,
			},
			Body: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":` + opening + `}`,
		})
		return a.Status, initialize.Status, string(a.Raw)
	}
	for _, json := range []string{
		"application/json", "Application/JSON", "application/json;", "application/json ; charset=utf-8",
		"application/json; charset=utf8", "application/json;CHARSET=UTF8", `application/json; charset="UTF-8"`,
		"application/json; charset='utf-8'", "application/json; charset=us-ascii", "application/json; charset=",
		"application/json; charset=utf-8; foo=bar", "application/json; odata=verbose", "application/json; foo",
		"application/json; charset=utf-8; charset=UTF-8",
	} {
		if api, agents, said := status(json); api != http.StatusOK || agents != http.StatusOK {
			t.Errorf("%q is answered %d, and %d at /mcp: %s", json, api, agents, said)
		}
	}
	for other, named := range map[string]string{
		"text/plain": "application/json", "text/json": "application/json", "application/jsonp": "application/json",
		"application/vnd.api+json": "application/json", "application/json, text/plain": "application/json",
		"application/json; charset=latin1": "latin1", `application/json; charset="UTF-16"`: "UTF-16",
	} {
		api, agents, said := status(other)
		if api != http.StatusUnsupportedMediaType || agents != http.StatusUnsupportedMediaType ||
			!strings.Contains(said, named) {
			t.Errorf("%q is answered %d, and %d at /mcp: %s", other, api, agents, said)
		}
	}
	for coding, want := range map[string]int{
		"identity": http.StatusOK, "Identity": http.StatusOK, "identity, identity": http.StatusOK,
		"gzip": http.StatusUnsupportedMediaType, "identity, br": http.StatusUnsupportedMediaType,
	} {
		a := shared.ask(t, testclient.Request{Method: http.MethodPatch, URL: shared.BaseURL + "/sandbox", Key: n.office,
			Body: `{"clock":"manual"}`, Headers: []string{"Content-Encoding", coding}})
		if a.Status != want {
			t.Errorf("a body in %s is answered %d, want %d: %s", coding, a.Status, want, a.Raw)
		}
	}
}

// TestValuesOfQueriesAreReadAsTheirStandardsSay, and mean the same however they are spelled.
func TestValuesOfQueriesAreReadAsTheirStandardsSay(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.HTTP.SPELLINGS", "LIST.UPDATED_SINCE", "LIST.LIMIT", "OPEN.LIST.PARAMETER")
	n := shared.create(t, `{"clock":"manual"}`)
	n.tick(60)
	newest := text(n.get("/events?limit=2").want(http.StatusOK, "").Items()[0], "created_at")
	for name, c := range map[string]struct {
		path, parameter string
		same, refused   []string
	}{
		"a time": {"/events", "updated_since",
			[]string{
				newest, strings.ToLower(newest), strings.Replace(newest, "T", "t", 1),
				strings.Replace(newest, "Z", "+00:00", 1), strings.Replace(newest, "Z", "-00:00", 1),
				strings.Replace(newest, "Z", "000z", 1),
			},
			[]string{
				"", "2026-09-07", "2026-09-07 08:00:00Z", "2026-09-07T08:00Z", "2026-09-07T08:00:00", "1788000000",
				"2026-09-07T08:00:00,5Z", "2026-09-07T08:00:00+0000", "2026-09-07Ｔ08:00:00Z",
			}},
		"a number": {"/events", "limit", []string{"2", "02", "+2", "002", "+002"},
			[]string{"", "0", "-2", "2.0", "2e0", "0x2", "2_0", "２", "2 ", "++2", "101"}},
		"the number of an event": {"/events", "after_seq", []string{"3", "03", "+3"},
			[]string{"", "-1", "3.0", "3e0", "0x3", "３", "3 ", "9223372036854775808"}},
	} {
		query := func(value string) *answer { return n.get(c.path + "?" + c.parameter + "=" + value) }
		want := query(c.same[0]).want(http.StatusOK, "").rawData()
		for _, value := range c.same {
			for _, sent := range []string{url.QueryEscape(value), value} { // a + that is not escaped arrives as a space
				if got := query(sent).want(http.StatusOK, "").rawData(); got != want {
					t.Errorf("%s: %s is answered %s, want %s", name, sent, got, want)
				}
			}
		}
		for _, value := range c.refused {
			refused := query(url.QueryEscape(value)).want(http.StatusBadRequest, "invalid_parameter")
			if details := child(t, refused.Failure(), "details"); text(details, "parameter") != c.parameter {
				t.Errorf("%s: %q is refused with %v", name, value, refused.Failure())
			}
		}
	}
}

// TestAcceptIsReadAsItsStandardSays, up to a size: it is read before any budget.
func TestAcceptIsReadAsItsStandardSays(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.HTTP.ACCEPT", "LIST.CSV.ACCEPT", "OPEN.ERR.NOT_ACCEPTABLE")
	n := shared.create(t, "")
	const none, json, csv = "", "application/json", "text/csv; charset=utf-8"
	long := strings.Repeat("x", 1000)
	for accept, want := range map[string]string{
		"Application/JSON": json, "application/json ; q=0.5": json, "application/*;Q=0.1": json, "*": json,
		"text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2": json, "application/json; charset=\"utf-8\"": json,
		"application/json;odata=verbose;q=1.000": json, ", application/json,": json, "application/json;x": json,
		"TEXT/CSV": csv, "text/csv;header=\"a, b;q=0\"": csv, "text/csv;q=0.9,application/json;q=0.8": csv,
		"text/csv;q=0.8,application/json;q=0.9": json, "text/*": csv, "text/csv, */*": csv,
		"text/html": none, "application/json;q=0": none, "application/json;Q=0.0": none, "application/json;q=x": none,
		"application/json;q=2": none, "application/problem+json": none, "*/*;q=0": none,
		"a/" + long + ", application/json": json, "a/" + long + "xxxxx, application/json": none,
		long + long + ", application/json":                     none,
		strings.Repeat("a/b,", 15) + "application/json":        json,
		strings.Repeat("a/b, ", 16) + "application/json":       none,
		strings.Repeat(",", 500) + "application/json":          json,
		"text/csv," + strings.Repeat("a/b;p0*0=q,", 1000):      csv,
		"application/json;q=0.5," + strings.Repeat("b/c,", 99): json,
	} {
		a := n.get("/office/sales-orders", "Accept", accept)
		if got := a.Header.Get("Content-Type"); want == none && a.Status != http.StatusNotAcceptable ||
			want != none && (a.Status != http.StatusOK || got != want) {
			t.Errorf("%.60q (%d bytes) is answered %d %s, want %q", accept, len(accept), a.Status, got, want)
		}
	}
	for accept, want := range map[string]int{
		"Application/JSON;q=0.9 , TEXT/event-stream;x=\",\"": http.StatusOK,
		strings.Repeat("a/b,", 14) + bothMedia:               http.StatusOK,
		strings.Repeat("a/b,", 15) + bothMedia:               http.StatusNotAcceptable,
		"a/" + long + "," + bothMedia:                        http.StatusNotAcceptable,
		"application/json;q=0, text/event-stream":            http.StatusNotAcceptable,
		bothMedia + strings.Repeat(",a/b;p0*0=q", 1000):      http.StatusOK,
	} {
		a := shared.ask(t, testclient.Request{
			Method: http.MethodPost, URL: shared.Origin + "/mcp", Headers: []string{"Accept", accept},
			Body: `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		})
		if a.Status != want {
			t.Errorf("%.60q (%d bytes) is answered %d at /mcp, want %d", accept, len(accept), a.Status, want)
		}
	}
}

// TestNoTextTurnsTheDirectionOfReading: its reader would see another text than programs do.
func TestNoTextTurnsTheDirectionOfReading(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.HTTP.CONTROL")
	n := shared.create(t, `{"preset":"manual","clock":"manual"}`)
	for char, refused := range map[rune]bool{
		0x00: true, 0x1f: true, 0x7f: true, 0x9f: true, 0x202a: true, 0x202e: true, 0x2066: true, 0x2069: true,
		0x061c: false, 0x200d: false, 0x200e: false, 0x200f: false, 0x2029: false, 0x2065: false, 0x206a: false,
	} {
		reference := "a" + string(char) + "b"
		a := n.post("/factory/work-orders",
			encode(t, object{"sku": "prd_notebook", "quantity": 1, "reference": reference}))
		if !refused {
			if got := text(a.want(http.StatusCreated, "").Data(), "reference"); got != reference {
				t.Errorf("%U: the reference is %q", char, got)
			}
			continue
		}
		said := text(a.want(http.StatusUnprocessableEntity, "validation_failed").Failure(), "message")
		if want := fmt.Sprintf("%U", char); !strings.Contains(said, want) {
			t.Errorf("%U is refused with %q", char, said)
		}
	}
}

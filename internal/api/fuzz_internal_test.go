package api

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"platen/internal/api/message"
	"platen/internal/operation"
	"platen/internal/sandbox"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
	"platen/internal/words/wire"
)

// refusedAs reports an error that is not a refusal with the code that the
// contract has for it.
func refusedAs(t *testing.T, sent string, err error, code problem.Code) {
	t.Helper()
	p, ok := errors.AsType[*problem.Problem](err)
	if !ok || p.Code != code {
		t.Errorf("%q is refused with %v, want %s", sent, err, code)
	}
}

// FuzzCursor: a cursor that is read is, to the letter, one that this server
// gives for that place of that list, and any other list refuses it.
func FuzzCursor(f *testing.F) {
	p := page{binding: 7}
	for _, after := range []uint64{0, 1, 127, 128, 1 << 63} {
		f.Add(p.nextCursor(after), uint64(7), after)
	}
	f.Add(p.nextCursor(1)+"=", uint64(8), uint64(1))
	f.Add("", uint64(0), uint64(0))
	// The same place in a longer spelling.
	longer := append(binary.BigEndian.AppendUint64(nil, p.seal(1)), 0x81, 0)
	f.Add(base64.RawURLEncoding.EncodeToString(longer), uint64(7), uint64(1))
	f.Fuzz(func(t *testing.T, text string, binding, after uint64) {
		p := page{binding: binding}
		read, err := p.decodeCursor(text)
		if err != nil {
			refusedAs(t, text, err, problem.InvalidCursor)
		} else if given := p.nextCursor(read); given != text {
			t.Errorf("%q is read as %d, whose cursor is %q", text, read, given)
		}
		given := p.nextCursor(after)
		if read, err := p.decodeCursor(given); err != nil || read != after {
			t.Errorf("%q, given for %d, is read as %d %v", given, after, read, err)
		}
		other := page{binding: binding + 1}
		if read, err := other.decodeCursor(given); err == nil {
			t.Errorf("%q of another list is read as %d", given, read)
		}
	})
}

// FuzzIdempotencyKey: 1 to 64 printable characters are a key, with or without
// quotation marks, and nothing else is (OPEN.IDEM.KEY_FORM).
func FuzzIdempotencyKey(f *testing.F) {
	for _, seed := range []string{
		"", "k", `"k"`, `""`, `"`, `"""`, "a b", "\t", "é", strings.Repeat("k", 64), strings.Repeat("k", 65),
		`"` + strings.Repeat("k", 64) + `"`, `a"b`, "k\x7f",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, sent string) {
		form := sent != "" && len(sent) <= 64
		for _, b := range []byte(sent) {
			form = form && b >= 0x20 && b <= 0x7e
		}
		for _, rule := range []operation.KeyRule{operation.KeyRequired, operation.KeyAccepted} {
			key, err := idempotencyKey(http.Header{"Idempotency-Key": {sent}}, rule)
			if (err == nil) != form || err == nil && key != sent {
				t.Errorf("%q is read as %q, %v", sent, key, err)
			}
			switch {
			case err == nil:
			case sent == "" && rule == operation.KeyRequired:
				refusedAs(t, sent, err, problem.IdempotencyRequired)
			default:
				refusedAs(t, sent, err, problem.IdempotencyKeyInvalid)
			}
		}
		if _, err := idempotencyKey(http.Header{"Idempotency-Key": {sent, sent}}, operation.KeyAccepted); err == nil {
			t.Errorf("%q is read though it is sent twice", sent)
		}
	})
}

// FuzzSentKey: a Bearer token is found whatever the case of its scheme and
// whatever else is sent, and no other scheme is taken for one.
func FuzzSentKey(f *testing.F) {
	for _, seed := range [][2]string{
		{"Bearer k", "x"}, {"bearer  k ", ""}, {"Basic k", "x"}, {"Bearer", "x"}, {"Bearer ", "x"}, {"", ""},
		{"Bearer\tk", "x"}, {"Bearerk k", "x"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, authorization, api string) {
		key := wire.SentKey(http.Header{"Authorization": {authorization}, "X-Api-Key": {api}})
		scheme, token, _ := strings.Cut(authorization, " ")
		switch bearer := strings.EqualFold(scheme, "bearer") && len(scheme) < len(authorization); {
		case bearer && key != strings.TrimSpace(token):
			t.Errorf("%q with %q has the key %q", authorization, api, key)
		case !bearer && key != api:
			t.Errorf("%q with %q has the key %q", authorization, api, key)
		}
	})
}

// FuzzAccept: JSON and CSV are sent only to those who take them, and what is
// refused is refused as not acceptable.
func FuzzAccept(f *testing.F) {
	for _, seed := range []string{
		"", "*/*", "application/json", "text/csv", "text/csv;q=0.5, application/json;q=0.4",
		"text/*;q=0.1,*/*;q=0", "application/json;q=NaN", "application/json;q=0x1p-1",
		"application/json;q=1e0", "application/json;q=+1", "application/json;q=0.0001",
		"application/json;q=.2", "application/json;q=1.000", "application/json;q=1.001", "application/json;q=.",
		"text/csv;q=2, application/*", "a,b", ",,,", "application/json;q=0, */*", "text/csv; header=present",
	} {
		f.Add(seed)
	}
	list, object := &bound{columns: []string{"id"}}, &bound{}
	f.Fuzz(func(t *testing.T, accept string) {
		r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
		r.Header.Set("Accept", accept)
		wantsCSV, errList := negotiate(r, list, false)
		csvOfObject, errObject := negotiate(r, object, false)
		for _, err := range []error{errList, errObject} {
			if err != nil {
				refusedAs(t, accept, err, problem.NotAcceptable)
			}
		}
		if odd(accept) {
			return
		}
		json, csv := taken(accept, "application", "json"), taken(accept, "text", "csv")
		if accept == "" {
			json = true
		}
		if (errObject == nil) != json || csvOfObject {
			t.Errorf("%q: an object is sent as CSV %t, %v; JSON is taken: %t", accept, csvOfObject, errObject, json)
		}
		if (errList == nil) != (json || csv) || wantsCSV && !csv || errList == nil && !wantsCSV && !json {
			t.Errorf("%q: a list is sent as CSV %t, %v; JSON is taken: %t, CSV: %t",
				accept, wantsCSV, errList, json, csv)
		}
		if always, err := negotiate(r, list, true); !always || err != nil {
			t.Errorf("%q: a path with .csv is sent as CSV %t, %v", accept, always, err)
		}
	})
}

// odd reports whether a header is longer than is read, or has a range that is not well-formed, which is read as well as
// may be.
func odd(accept string) bool {
	parts := strings.Split(accept, ",")
	return len(accept) > 1024 || len(parts) > 16 || slices.ContainsFunc(parts, func(part string) bool {
		media, _, err := mime.ParseMediaType(strings.TrimSpace(part))
		_, parameters, _ := strings.Cut(part, ";")
		return strings.TrimSpace(part) != "" &&
			(err != nil || strings.Count(media, "/") != 1 || strings.Contains(parameters, "*")) // RFC 2231
	}) || strings.ContainsAny(accept, "\"\\")
}

// taken applies RFC 9110 to one type: the most specific range that fits has a
// quality above 0. Of ranges that are the same the first counts.
func taken(accept, kind, subtype string) bool {
	for _, want := range []string{kind + "/" + subtype, kind + "/*", "*/*"} {
		for part := range strings.SplitSeq(accept, ",") {
			media, parameters, err := mime.ParseMediaType(strings.TrimSpace(part))
			q, has := parameters["q"]
			if err != nil || media != want || has && !fraction.MatchString(q) {
				continue
			}
			return !has || strings.Trim(q, "0.") != ""
		}
	}
	return false
}

// fraction is a quality as it is sent: from 0 to 1.
var fraction = regexp.MustCompile(`^0*(0\.?|\.[0-9]+|1(\.0*)?)$`)

// FuzzIfNoneMatch: nothing has changed exactly when a tag of the list is ours,
// weak or strong, or is the star.
func FuzzIfNoneMatch(f *testing.F) {
	for _, seed := range []string{
		"", "*", `W/"abc"`, `"abc"`, `"x", W/"abc" ,`, `W/abc`, `w/"abc"`, `"abc`, `W/W/"abc"`, "\"abc\"\t",
	} {
		f.Add(seed, `x"`)
	}
	const tag = `W/"abc"`
	f.Fuzz(func(t *testing.T, sent, other string) {
		want := false
		for one := range strings.SplitSeq(sent, ",") {
			one = strings.TrimSpace(one)
			want = want || one == "*" || one == tag || one == `"abc"`
		}
		if got := wire.MatchesTag([]string{sent}, tag); got != want {
			t.Errorf("%q matches %s: %t", sent, tag, got)
		}
		if !wire.MatchesTag([]string{sent, other, tag}, tag) ||
			!wire.MatchesTag([]string{sent + "," + tag + "," + other}, tag) {
			t.Errorf("%s beside %q and %q is not found", tag, sent, other)
		}
	})
}

// FuzzContentType: a body is read only when it is declared as JSON in UTF-8.
func FuzzContentType(f *testing.F) {
	for _, seed := range []string{
		"", "application/json", "APPLICATION/JSON", "application/json; charset=utf-8",
		`application/json;charset="UTF-8"`, "application/json; charset=latin1", "text/json",
		"application/json, text/plain", "application/json;", "application/json; x", "application/jsonx",
		"application/json;charset=utf-8;charset=utf-8",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, sent string) {
		err := checkMediaType(http.Header{"Content-Type": {sent}})
		if err != nil {
			refusedAs(t, sent, err, problem.UnsupportedMediaType)
		}
		media, _, _ := strings.Cut(sent, ";")
		if declared := strings.EqualFold(strings.TrimSpace(media), message.ContentJSON); err == nil && !declared {
			t.Errorf("%q is taken for JSON", sent)
		} else if err != nil && declared && !strings.Contains(sent, ";") {
			t.Errorf("%q is not taken for JSON", sent)
		}
		_, parameters, unreadable := mime.ParseMediaType(sent)
		charset := strings.ToLower(strings.Trim(parameters["charset"], "'"))
		if err == nil && unreadable == nil &&
			!slices.Contains([]string{"", "utf-8", "utf8", "us-ascii", "ascii"}, charset) {
			t.Errorf("%q is taken for UTF-8", sent)
		}
	})
}

// FuzzVersion: only the version that there is can be asked for.
func FuzzVersion(f *testing.F) {
	for _, seed := range []string{
		"", wire.Version, wire.Version + " ", "2026-9", "latest", strings.Repeat("9", 1000), "\xff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, sent string) {
		err := wantedVersion([]string{sent})
		if (err == nil) != (sent == wire.Version) {
			t.Errorf("%q: %v", sent, err)
		}
		if err != nil {
			refusedAs(t, sent, err, problem.InvalidParameter)
			if most := 500; len(err.Error()) > most {
				t.Errorf("%d bytes are refused with %d", len(sent), len(err.Error()))
			}
		}
	})
}

// FuzzCSV: a CSV reader finds in a table what the rows hold, and no cell is
// taken for a formula.
func FuzzCSV(f *testing.F) {
	for _, seed := range [][2]string{
		{"=1+1", "a,b"}, {"+1", `"`}, {"-1", "\n"}, {"@x", "\r\n"}, {"\tx", "\r"}, {"", "é"}, {"'=1", " a "},
		{`a"b`, ";"}, {"\n=1", "\u2028"}, {`\.`, "x\ry"}, {"＝1", "\x00"},
	} {
		f.Add(seed[0], seed[1], int64(-5))
	}
	f.Fuzz(func(t *testing.T, first, second string, number int64) {
		item, err := json.Marshal(map[string]any{
			"first": first, "second": second, "number": number, "nothing": nil, "list": []string{second},
		})
		if err != nil {
			return // not UTF-8, which no row holds
		}
		text, err := csvOf([]string{"first", "second", "number", "nothing", "absent", "list"}, [][]byte{item, item})
		if err != nil {
			t.Fatalf("%s: %v", item, err)
		}
		records, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
		if err != nil || len(records) != 3 || !slices.Equal(records[1], records[2]) {
			t.Fatalf("%q is read as %q, %v", text, records, err)
		}
		list, err := json.Marshal([]string{second})
		if err != nil {
			t.Fatal(err)
		}
		// A reader takes a line's end within a cell for \n.
		nested := strings.ReplaceAll(string(list), ";", `\u003b`)
		want := []string{harmless(first), harmless(second), strconv.FormatInt(number, 10), "", "", nested}
		for i := range want {
			want[i] = strings.ReplaceAll(want[i], "\r\n", "\n")
		}
		if !slices.Equal(records[1], want) {
			t.Errorf("%q is read as %q, want %q", text, records[1], want)
		}
		for _, cell := range slices.Concat(records[1][:2], strings.Split(strings.Join(records[1][:2], ";"), ";")) {
			if cell != "" && strings.ContainsRune("=+-@\t\r＝＋－＠", []rune(cell)[0]) {
				t.Errorf("the cell %q is a formula to a spreadsheet", cell)
			}
		}
	})
}

// harmless is a text as a cell has it.
func harmless(text string) string {
	parts := strings.Split(text, ";")
	for i, part := range parts {
		sign := strings.TrimLeft(part, " \t\n\r\f\"") // that is, what regular expressions take for space
		if sign != "" && strings.ContainsRune("=+-@＝＋－＠", []rune(sign)[0]) ||
			part != "" && strings.ContainsRune("\t\r", rune(part[0])) {
			parts[i] = "'" + part
		}
	}
	return strings.Join(parts, ";")
}

// FuzzQuery: parameters that are accepted are within their bounds and mean what
// they say; all others are refused by their names.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{
		"", "limit=1", "limit=100", "limit=101", "limit=01", "limit=%2B1", "limit=1&limit=1", "wait_s=25", "wait_s=-1",
		"after_seq=0", "after_seq=9223372036854775808", "after_seq=&wait_s=0", "updated_since=2026-09-07T08:00:00Z",
		"updated_since=2026-09-07T08:00:00+02:00", "updated_since=2026-09-07T8:00:00Z",
		"updated_since=2026-09-07T08:00:00,5Z", "updated_since=2026-09-07T08:00:00%2B23:60",
		"updated_since=2026-09-07T08:00:00%2B24:00", "updated_since=0000-01-01T00:00:00%2B23:59",
		"types=office.sales_order.received", "types=x", "types=,", "system=office", "system=",
		"types=office.sales_order.received,&system=factory", "cursor=x&after_seq=1", "status=", "status=received",
		"a=b", "%zz", "a;b", strings.Repeat("x", 5000) + "=1",
	} {
		f.Add(seed)
	}
	type row struct {
		Status string `json:"status" enum:"received"`
	}
	op := &bound{Operation: operation.Operation{
		ID: "list", Kind: operation.Poll, Filters: []string{"status", "sku", "types", "system"},
		Out: reflect.TypeFor[row](),
	}}
	// As a poll reads them, but for its insisting on a place to begin.
	op.query = op.Query()
	for i := range op.query {
		op.query[i].Required = false
	}
	f.Fuzz(func(t *testing.T, sent string) {
		x := &exchange{
			op: op, Request: &message.Request{
				HTTP: &http.Request{URL: &url.URL{RawQuery: sent}}, Caller: sandbox.Caller{SandboxID: "sbx_1"},
			},
		}
		wanted, patience, err := x.wanted()
		if err != nil {
			p, ok := errors.AsType[*problem.Problem](err)
			if !ok || p.Code != problem.InvalidParameter && p.Code != problem.InvalidCursor || len(p.Message) > 1000 {
				t.Errorf("%.200q is refused with %.200v", sent, err)
			}
			return
		}
		values, _ := url.ParseQuery(sent)
		checkQuery(t, sent, values, wanted, int(patience/time.Second))
	})
}

// rfc3339 is the form of a time.
var rfc3339 = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// shortest takes a plus sign, or the space that it may have become, and zeros off a whole number.
func shortest(text string) string {
	if text != "" && (text[0] == '+' || text[0] == ' ') {
		text = text[1:]
	}
	return cmp.Or(strings.TrimLeft(text, "0"), "0")
}

func checkQuery(t *testing.T, sent string, values url.Values, wanted *wanted, seconds int) {
	t.Helper()
	if n := wanted.page.limit; n < 1 || n > 100 || wanted.query.Limit != n+1 ||
		values.Has("limit") && shortest(values.Get("limit")) != strconv.Itoa(n) {
		t.Errorf("%q has the limit %d", sent, n)
	}
	if seconds < 0 || seconds > 25 || values.Has("wait_s") && shortest(values.Get("wait_s")) != strconv.Itoa(seconds) {
		t.Errorf("%q waits for %d seconds", sent, seconds)
	}
	if n := wanted.query.After; int64(n) < 0 || values.Has("after_seq") &&
		shortest(values.Get("after_seq")) != strconv.FormatUint(n, 10) {
		t.Errorf("%q begins after %d", sent, n)
	}
	if status := wanted.page.filters[0]; status != values.Get("status") || status != "" && status != "received" ||
		wanted.page.filters[1] != values.Get("sku") {
		t.Errorf("%q filters by %q", sent, wanted.page.filters)
	}
	if text := strings.ToUpper(strings.ReplaceAll(values.Get("updated_since"), " ", "+")); values.Has("updated_since") {
		since, err := time.Parse(time.RFC3339Nano, text)
		if err != nil || !rfc3339.MatchString(text) || moment.InstantOf(since) != wanted.page.updatedSince {
			t.Errorf("%q is of since %v", sent, wanted.page.updatedSince)
		}
	}
	for _, d := range event.Catalogue() {
		types, system := values.Get("types"), values.Get("system")
		named := types == "" || slices.Contains(strings.Split(types, ","), string(d.Type))
		named = named && (system == "" || string(d.Type.System()) == system)
		if asked := wanted.query.Types.Empty() || wanted.query.Types.Meets(event.SetOf(d.Type)); asked != named {
			t.Errorf("%q: whether %s is wanted is decided wrongly", sent, d.Type)
		}
	}
	for name, all := range values {
		if !slices.Contains([]string{
			"limit", "cursor", "updated_since", "after_seq", "wait_s", "status", "sku", "types", "system",
		}, name) || len(all) > 1 {
			t.Errorf("%q is accepted with %q %d times", sent, name, len(all))
		}
	}
}

package testclient_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"platen/test/testclient"
)

// serve answers every request with a status and the text that answer returns.
func serve(t *testing.T, status int, answer func(r *http.Request) string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
		fmt.Fprint(w, answer(r))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestARequestCarriesItsKeyItsBodyAndItsHeaders(t *testing.T) {
	t.Parallel()
	url := serve(t, http.StatusOK, func(r *http.Request) string {
		return fmt.Sprintf(`{"data":{"headers":"%s|%s|%s|%s"}}`, r.Header.Get("Authorization"),
			r.Header.Get("Content-Type"), r.Header.Get("Idempotency-Key"), r.Host)
	})
	for want, r := range map[string]testclient.Request{
		"|||" + strings.TrimPrefix(url, "http://"): {},
		"Bearer key|application/json|once|platen": {
			Key: "key", Body: "{}", Headers: []string{"Idempotency-Key", "once", "Host", "platen"},
		},
		"Basic x|||platen": {
			Key: "key", Body: "{}", Headers: []string{"Authorization", "Basic x", "Content-Type", "", "Host", "platen"},
		},
	} {
		r.Method, r.URL = http.MethodPost, url
		if got := r.Send(t).Want(http.StatusOK, "").Data()["headers"]; got != want {
			t.Errorf("got %v, want %s", got, want)
		}
	}
}

func TestAnAnswerIsReadStrictlyAndRedirectsAreAnswers(t *testing.T) {
	t.Parallel()
	for text, valid := range map[string]bool{
		``: true, `{}`: true, "{} \n": true, `{"a":1}`: true, `[]`: true, `{"a":1,"a":1}`: false, `{"a":1`: false,
		`{} {}`: false, "{\"a\":\"\xff\"}": false,
	} {
		r := testclient.Request{
			Method: http.MethodGet, URL: serve(t, http.StatusFound, func(*http.Request) string { return text }),
		}
		if a, err := r.Do(t.Context()); (err == nil) != valid || valid && a.Status != http.StatusFound {
			t.Errorf("%q: %+v %v", text, a, err)
		}
	}
}

func TestAListIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	var asked []string
	url := serve(t, http.StatusOK, func(r *http.Request) string {
		asked = append(asked, r.URL.RawQuery)
		return []string{
			`{"data":{"items":[{"n":9007199254740993},{"n":2}],"next_cursor":"x"}}`,
			`{"data":{"items":[{"n":3}],"next_cursor":null}}`,
		}[len(asked)-1]
	})
	rows := testclient.All("/events?after_seq=7&types=a", func(path string) *testclient.Answer {
		return testclient.Request{Method: http.MethodGet, URL: url + path}.Send(t)
	})
	if got := fmt.Sprint(rows); got != "[map[n:9007199254740993] map[n:2] map[n:3]]" {
		t.Errorf("the rows are %s", got)
	}
	want := []string{"after_seq=7&types=a&limit=100", "types=a&limit=100&cursor=x"}
	if !slices.Equal(asked, want) {
		t.Errorf("asked with %v, want %v", asked, want)
	}
}

// failing is a test that notes how it fails.
type failing struct {
	testing.TB
	text string
}

func (f *failing) Fatalf(format string, values ...any) {
	f.text = fmt.Sprintf(format, values...)
	panic(f)
}

func TestAnotherAnswerThanTheOneWantedFailsWithAllThatIsKnown(t *testing.T) {
	t.Parallel()
	url := serve(t, http.StatusConflict, func(*http.Request) string { return `{"error":{"code":"invalid_state"}}` })
	r := testclient.Request{Method: http.MethodPost, URL: url, Key: "secret", Body: `{"a":1}`}
	f := &failing{TB: t}
	defer func() {
		recover()
		want := "POST " + url + ` {"a":1}: got 409 "invalid_state", want 409 "not_found"` + "\n" +
			`{"error":{"code":"invalid_state"}}`
		if f.text != want {
			t.Errorf("it fails with %q, want %q", f.text, want)
		}
	}()
	r.Send(f).Want(http.StatusConflict, "invalid_state").Want(http.StatusConflict, "not_found")
}

func TestWaitingEnds(t *testing.T) {
	t.Parallel()
	asked := 0
	testclient.Eventually(t, "asked twice", time.Minute, func() bool { asked++; return asked == 2 })
	f := &failing{TB: t}
	defer func() {
		recover()
		if want := "after 1ms still not so: never"; f.text != want {
			t.Errorf("it fails with %q, want %q", f.text, want)
		}
	}()
	testclient.Eventually(f, "never", time.Millisecond, func() bool { return false })
}

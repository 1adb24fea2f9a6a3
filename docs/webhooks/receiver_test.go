// Tests of the receivers that the docs show, each in its language, against
// deliveries as they are really sent.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"platen/internal/edge/webhook"
	"platen/internal/words/event"
)

// Each receiver uses the first secret; the other one belongs to another
// receiver.
const (
	ownSecret   = "whsec_+/+/r8GKYqrTwjUPD8ILPZIo2LaLaSw+"
	otherSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
)

// patience is how long a test waits for a program: far beyond what it takes.
const patience = time.Minute

// receivers are started with PORT and PLATEN_WEBHOOK_SECRET set.
var receivers = []struct {
	language, needs string
	argv            func(port int) []string
}{
	{"Go", os.Args[0], fixed(os.Args[0])}, // whose package this is: TestMain runs it
	{"Python", "python3", fixed("python3", "-B", "receiver.py")},
	{"JavaScript", "node", fixed("node", "receiver.mjs")},
	{"PHP", "php", func(port int) []string {
		return []string{"php", "-S", "127.0.0.1:" + strconv.Itoa(port), "receiver.php"}
	}},
	{"Ruby", "ruby", fixed("ruby", "receiver.rb")},
	// Without what pays only in a program that runs for long.
	{"Java", "javac", fixed("java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "Receiver.java")},
}

func fixed(argv ...string) func(int) []string {
	return func(int) []string { return argv }
}

// TestMain is the receiver in Go where it is started with a port.
func TestMain(m *testing.M) {
	if os.Getenv("PORT") != "" {
		main()
	}
	os.Exit(m.Run())
}

// need skips a test whose program is not installed. In CI that is a failure.
func need(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		if os.Getenv("PLATEN_TEST_ALL") != "" {
			t.Fatalf("%s is not installed", program)
		}
		t.Skipf("SKIPPED: %s is not installed", program)
	}
}

// journal is the output of a program.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

// handled counts how often an event was handled.
func (j *journal) handled(id string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Count(j.text.String(), "handled "+id+" ")
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// freePort is a port without a listener. It lies below the range of ephemeral
// ports, so that no connection of another process takes it meanwhile.
func freePort(t testing.TB) int {
	t.Helper()
	for {
		port := 10_000 + rand.IntN(20_000)
		if listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			listener.Close()
			return port
		}
	}
}

// start runs a receiver until it is stopped, or the test ends. When it was
// stopped, everything that it has printed is there.
func start(t *testing.T, argv func(int) []string) (address string, printed *journal, stop func()) {
	t.Helper()
	port := freePort(t)
	words, printed := argv(port), &journal{}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	program := exec.CommandContext(ctx, words[0], words[1:]...)
	program.Env = append(os.Environ(), "PORT="+strconv.Itoa(port), "PLATEN_WEBHOOK_SECRET="+ownSecret,
		"SEEN_FOLDER="+filepath.Join(t.TempDir(), "seen"))
	program.Stdout, program.Stderr, program.WaitDelay = printed, printed, patience
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		program.Wait()
	}()
	stop = func() {
		cancel()
		<-ended
	}
	t.Cleanup(stop)
	address = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return "http://" + address + "/", printed, stop
		}
		select {
		case <-ended:
			t.Fatalf("it ended:\n%s", printed)
		case <-look.C:
		}
	}
	t.Fatalf("it does not listen:\n%s", printed)
	return "", nil, nil
}

func delivery(id string) []byte {
	return fmt.Appendf(nil,
		`{"id":"%s","type":"office.payment.received","created_at":"2026-11-21T12:00:00.000Z","sim_date":"2027-01-04",`+
			`"sandbox_id":"sbx_1","system":"office","simulation":true,`+
			`"data":{"name":"Söhne & Co / \"Druck\" <b>\u2028",`+
			`"amount_minor":1250},"links":{"self":"/office/payments/pay_1"}}`, id)
}

// tampering sends other bytes than were signed, or without a header.
type tampering struct {
	change func(*http.Request)
}

func (m tampering) RoundTrip(r *http.Request) (*http.Response, error) {
	m.change(r)
	transport := &http.Transport{DisableKeepAlives: true}
	return transport.RoundTrip(r)
}

// TestReceiversOfTheDocsAreRight (contract: SIG.RECEIVER.RAW,
// SIG.RECEIVER.TOLERANCE, LIMIT.SIGNATURE_AGE, SIG.RECEIVER.ANY,
// SIG.RECEIVER.DEDUPLICATE).
func TestReceiversOfTheDocsAreRight(t *testing.T) {
	t.Parallel()
	for _, r := range receivers {
		t.Run(r.language, func(t *testing.T) {
			t.Parallel()
			need(t, r.needs)
			address, printed, stop := start(t, r.argv)
			id := func(i int) string { return fmt.Sprintf("evt_case%d", i) }
			for i, c := range cases() {
				secrets := c.secrets
				if secrets == nil {
					secrets = []string{ownSecret}
				}
				change := c.change
				if change == nil {
					change = func(*http.Request) {}
				}
				for range max(c.times, 1) {
					got := webhook.Post(t.Context(), tampering{change}, &webhook.Message{
						URL: address, ID: id(i), Body: delivery(id(i)), Secrets: secrets, UserAgent: "test",
						SentAt: time.Now().Add(c.off),
					})
					if (got.ErrorClass == "") != c.good ||
						!c.good && !c.anyhow && got.ErrorClass != event.ClassHTTP4xx {
						t.Errorf("%s: %+v, want it taken: %t\n%s", c.name, got, c.good, printed)
					}
				}
			}
			stop()
			for i, c := range cases() {
				if want := map[bool]int{true: 1}[c.good]; printed.handled(id(i)) != want {
					t.Errorf("%s: handled %d times, want %d\n%s", c.name, printed.handled(id(i)), want, printed)
				}
			}
		})
	}
}

// comparisons are how each receiver compares signatures: the function of its
// language, or its library, that takes as long for a near miss as for a far one.
var comparisons = map[string]string{
	"receiver.go": "hmac.Equal(", "receiver.py": "hmac.compare_digest(", "receiver.mjs": "timingSafeEqual(",
	"receiver.php": "hash_equals(", "receiver.rb": "secure_compare(", "Receiver.java": "MessageDigest.isEqual(",
}

// TestReceiversCompareInConstantTime reads them, for time itself is too noisy to
// tell (contract: SIG.RECEIVER.CONSTANT_TIME).
func TestReceiversCompareInConstantTime(t *testing.T) {
	t.Parallel()
	if len(comparisons) != len(receivers) {
		t.Errorf("%d of %d receivers are read", len(comparisons), len(receivers))
	}
	for name, comparison := range comparisons {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(source), comparison) != 1 {
			t.Errorf("%s does not compare with %s exactly once", name, comparison)
		}
	}
}

type receiverCase struct {
	name    string
	secrets []string
	off     time.Duration
	change  func(*http.Request)
	times   int
	good    bool
	// anyhow is set where a receiver may also hang up.
	anyhow bool
}

func cases() []receiverCase {
	body := func(change func([]byte) []byte) func(*http.Request) {
		return func(r *http.Request) {
			raw, _ := io.ReadAll(r.Body)
			raw = change(raw)
			r.Body, r.ContentLength, r.GetBody = io.NopCloser(bytes.NewReader(raw)), int64(len(raw)), nil
		}
	}
	// Names are in lower case, as they are sent.
	edit := func(name string, change func(string) string) func(*http.Request) {
		return func(r *http.Request) { r.Header[name] = []string{change(r.Header[name][0])} }
	}
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) {
			delete(r.Header, name)
			if value != "" {
				r.Header[name] = []string{value}
			}
		}
	}
	return []receiverCase{
		{name: "good", good: true},
		{name: "sent three times", times: 3, good: true},
		{name: "new secret during a rotation", secrets: []string{ownSecret, otherSecret}, good: true},
		{name: "old secret during a rotation", secrets: []string{otherSecret, ownSecret}, good: true},
		{name: "as late as may be", off: -290 * time.Second, good: true},
		{name: "as early as may be", off: 290 * time.Second, good: true},
		{name: "another secret", secrets: []string{otherSecret}},
		{name: "too late", off: -310 * time.Second},
		{name: "too early", off: 310 * time.Second},
		{name: "a changed amount",
			change: body(func(b []byte) []byte { return bytes.Replace(b, []byte("1250"), []byte("9250"), 1) })},
		{name: "a line break at the end", change: body(func(b []byte) []byte { return append(b, '\n') })},
		{name: "no body", change: body(func([]byte) []byte { return nil })},
		{name: "a body that is too large", anyhow: true,
			change: body(func([]byte) []byte { return bytes.Repeat([]byte("x"), 1<<17) })},
		{name: "no signature", change: header(webhook.HeaderSignature, "")},
		{name: "a signature of version 2",
			change: edit(webhook.HeaderSignature, func(s string) string { return "v2" + s[2:] })},
		{name: "half of a signature", change: edit(webhook.HeaderSignature, func(s string) string { return s[:20] })},
		{name: "no timestamp", change: header(webhook.HeaderTimestamp, "")},
		{name: "a timestamp that is none", change: header(webhook.HeaderTimestamp, "now")},
		{name: "a timestamp that was moved", change: edit(webhook.HeaderTimestamp, func(s string) string {
			return s[:len(s)-1] + string('0'+(s[len(s)-1]-'0'+1)%10)
		})},
		{name: "another id", change: header(webhook.HeaderID, "evt_other")},
		{name: "no id", change: header(webhook.HeaderID, "")},
		{name: "good in the end", good: true},
	}
}

// capturing keeps what was sent.
type capturing struct {
	lines *bytes.Buffer
	sign  string
}

func (c capturing) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	headers := map[string]string{}
	for name, values := range r.Header {
		headers[strings.ToLower(name)] = strings.Join(values, ",")
	}
	line, err := json.Marshal(map[string]any{"headers": headers, "body": string(body), "secret": c.sign})
	c.lines.Write(append(line, '\n'))
	return &http.Response{StatusCode: http.StatusNoContent, Body: http.NoBody}, err
}

// TestTheLibraryOfReceiversVerifiesWhatIsSent holds captured deliveries against
// the package that people install, during a rotation too.
func TestTheLibraryOfReceiversVerifiesWhatIsSent(t *testing.T) {
	t.Parallel()
	need(t, "node")
	if _, err := os.Stat("library/node_modules/standardwebhooks"); err != nil {
		const how = "the library is not installed: npm ci --prefix docs/webhooks/library"
		if os.Getenv("PLATEN_TEST_ALL") != "" {
			t.Fatal(how)
		}
		t.Skip("SKIPPED: " + how)
	}
	var lines bytes.Buffer
	var want []string
	for _, c := range []struct {
		signed   []string
		verified string
		off      time.Duration
		want     string
	}{
		{[]string{ownSecret}, ownSecret, 0, "ok"},
		{[]string{ownSecret, otherSecret}, ownSecret, 0, "ok"},
		{[]string{ownSecret, otherSecret}, otherSecret, 0, "ok"},
		{[]string{ownSecret}, otherSecret, 0, "No matching signature found"},
		{[]string{ownSecret}, ownSecret, -time.Hour, "Message timestamp too old"},
		{[]string{webhook.NewSecret()}, ownSecret, 0, "No matching signature found"},
	} {
		webhook.Post(t.Context(), capturing{&lines, c.verified}, &webhook.Message{
			URL: "http://127.0.0.1/", ID: "evt_1", Body: delivery("evt_1"), Secrets: c.signed, UserAgent: "test",
			SentAt: time.Now().Add(c.off),
		})
		want = append(want, c.want)
	}
	command := exec.CommandContext(t.Context(), "node", "verify.mjs")
	command.Dir, command.Stdin = "library", &lines
	out, err := command.CombinedOutput()
	if got := strings.TrimSpace(string(out)); err != nil || got != strings.Join(want, "\n") {
		t.Errorf("%v; it says\n%s\nwant\n%s", err, got, strings.Join(want, "\n"))
	}
}

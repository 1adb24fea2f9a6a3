package contract

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// receiver is where deliveries go.
type receiver struct {
	*httptest.Server

	t  testing.TB
	mu sync.Mutex
	// got are the requests in the order of their arrival; answer says what to
	// answer, 200 while it is nil.
	got    []received
	answer func(path string, one received) int
	// location is where redirects lead.
	location string
	// cut is set when bodies may be no JSON.
	cut bool
}

// received is one request of the service.
type received struct {
	header http.Header
	body   []byte
	event  object
	at     time.Time
}

func (r received) kind() string { return text(r.event, "type") }

// signature signs a request with a secret (contract: SIG.CONTENT).
func (r received) signature(secret string) string {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return err.Error()
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(r.header.Get("webhook-id") + "." + r.header.Get("webhook-timestamp") + "."))
	mac.Write(r.body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func receive(t testing.TB) *receiver {
	t.Helper()
	r := &receiver{t: t, location: "/elsewhere"}
	handler := http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			t.Errorf("read a delivery: %v", err)
		}
		one := received{header: request.Header.Clone(), body: body, event: object{}, at: time.Now()}
		r.mu.Lock()
		if err := json.Unmarshal(body, &one.event); err != nil && !r.cut {
			t.Errorf("the delivery %.200s: %v", body, err)
		}
		r.got = append(r.got, one)
		answer, location := r.answer, r.location
		r.mu.Unlock()
		status := http.StatusOK
		if answer != nil {
			status = answer(request.URL.Path, one)
		}
		if status == hangUp {
			panic(http.ErrAbortHandler)
		}
		if status/100 == 3 {
			w.Header().Set("Location", location)
		}
		w.WriteHeader(status)
		if status != http.StatusNoContent {
			_, _ = io.WriteString(w, strings.Repeat("the receiver's own words ", 200))
		}
	})
	if w := wireOf(t); w != nil {
		r.Server = w.receive(t, handler)
	} else {
		r.Server = httptest.NewServer(handler)
	}
	t.Cleanup(r.Close)
	return r
}

// answers sets what is answered.
func (r *receiver) answers(answer func(received) int) {
	r.paths(func(_ string, one received) int { return answer(one) })
}

// paths sets what is answered at each path.
func (r *receiver) paths(answer func(path string, one received) int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

// hangUp means an answer that never comes.
const hangUp = -1

// redirects answers everything with a redirect.
func (r *receiver) redirects(status int, location string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer, r.location = func(string, received) int { return status }, location
}

func (r *receiver) always(status int) { r.answers(func(received) int { return status }) }

// requests are those so far, pings left out.
func (r *receiver) requests() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(r.got), func(one received) bool { return one.kind() == "webhook.ping" })
}

func (r *receiver) pings() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(r.got), func(one received) bool { return one.kind() != "webhook.ping" })
}

// private starts a server for receivers on this machine.
func private(t testing.TB) *service {
	t.Helper()
	if wireOf(t) != nil {
		return serve(t, map[string]string{"private-webhooks": "true"})
	}
	return sharedPrivate()
}

// subscribe makes a subscription.
func (n *tenant) subscribe(url, events string) object {
	n.t.Helper()
	return n.post("/webhooks", `{"url":"`+url+`","events":[`+events+`]}`).want(http.StatusCreated, "").Data()
}

// serving makes a subscription that is active.
func (n *tenant) serving(url, events string) object {
	n.t.Helper()
	s := n.subscribe(url, events)
	test := n.test(text(s, "id"))
	if test["status"] != "active" || test["delivered"] != true {
		n.t.Fatalf("the test says %v", test)
	}
	return s
}

// test sends a test ping. On a machine so busy that the receiver's answer comes
// too late, it tries again.
func (n *tenant) test(id string) object {
	n.t.Helper()
	const tries = 5
	var test object
	for range tries {
		if test = n.post("/webhooks/"+id+"/test", "").want(http.StatusOK, "").Data(); test["error_class"] != "timeout" {
			break
		}
	}
	return test
}

func (n *tenant) webhook(s object) object { n.t.Helper(); return n.row("/webhooks/" + text(s, "id")) }

func (n *tenant) deliveries(s object) []object {
	n.t.Helper()
	return slices.DeleteFunc(n.all("/webhooks/"+text(s, "id")+"/deliveries"), func(d object) bool {
		return d["trigger"] == "test"
	})
}

// happens makes one event and returns it.
func (n *tenant) happens() object {
	n.t.Helper()
	before := n.newest()
	orders := n.get("/office/sales-orders?status=received&limit=1").want(http.StatusOK, "").Items()
	for len(orders) == 0 {
		n.tick(60)
		orders = n.get("/office/sales-orders?status=received&limit=1").want(http.StatusOK, "").Items()
	}
	n.post("/office/sales-orders/"+text(orders[0], "id")+"/decline", "").want(http.StatusOK, "")
	return ofType(n.feed(before), "office.sales_order.declined")[0]
}

// timestamp is the webhook-timestamp of a request.
func (r received) timestamp(t testing.TB) time.Time {
	t.Helper()
	seconds, err := strconv.ParseInt(r.header.Get("webhook-timestamp"), 10, 64)
	if err != nil {
		t.Errorf("webhook-timestamp: %v", err)
	}
	return time.Unix(seconds, 0)
}

// of are the requests with an event.
func (r *receiver) of(event object) []received {
	return slices.DeleteFunc(r.requests(), func(one received) bool { return one.event["id"] != event["id"] })
}

package crash

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	sandboxes = 4
	// writersEach is how many clients write to one sandbox at once.
	writersEach = 3
	// roundsDefault is how often a server is killed; PLATEN_CRASH_ROUNDS asks
	// for more.
	roundsDefault = 8
	startTimeout  = 30 * time.Second
)

// process is a server that can be killed.
type process struct {
	cmd  *exec.Cmd
	base string
}

var address = regexp.MustCompile(`API\s+(http://\S+)`)

// launch starts the binary over a database and waits until it answers.
func launch(t *testing.T, binary, database string) *process {
	t.Helper()
	cmd := exec.Command(binary, "serve", "--listen", "127.0.0.1:0", "--database", database)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: cmd}
	found := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			if match := address.FindStringSubmatch(lines.Text()); match != nil {
				found <- match[1]
			}
		}
		close(found)
	}()
	select {
	case base, ok := <-found:
		if !ok {
			t.Fatal("the server ended before it said where it is")
		}
		p.base = base
	case <-time.After(startTimeout):
		t.Fatal("the server did not say where it is")
	}
	return p
}

// kill ends the process as a power cut would.
func (p *process) kill() {
	p.cmd.Process.Kill()
	p.cmd.Wait()
}

// tenant is one sandbox and what was done in it.
type tenant struct {
	Office  string `json:"office_key"`
	Factory string `json:"factory_key"`

	mu sync.Mutex
	// acknowledged are the answers by idempotency key, sent are all keys that
	// may have taken effect.
	acknowledged map[string][]byte
	sent         []string
}

// request is what to send; key and idempotency may be empty.
type request struct {
	method, url, key, idempotency, body string
}

func send(ctx context.Context, q request) (int, http.Header, []byte, error) {
	r, err := http.NewRequestWithContext(ctx, q.method, q.url, strings.NewReader(q.body))
	if err != nil {
		return 0, nil, nil, err
	}
	if q.key != "" {
		r.Header.Set("Authorization", "Bearer "+q.key)
	}
	if q.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if q.idempotency != "" {
		r.Header.Set("Idempotency-Key", q.idempotency)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, nil, err
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	return response.StatusCode, response.Header, raw, err
}

// order asks for the work order of one key: the same request at each retry.
func (n *tenant) order(base, key string) request {
	body := fmt.Sprintf(`{"sku":"prd_notebook","quantity":%d,"reference":%q}`, 1+len(key)%50, "ref-"+key)
	return request{method: http.MethodPost, url: base + "/factory/work-orders", key: n.Factory, idempotency: key, body: body}
}

// write orders work until the server is gone.
func (n *tenant) write(base string, writer, round int) {
	for i := 0; ; i++ {
		key := fmt.Sprintf("r%d-w%d-%d", round, writer, i)
		n.mu.Lock()
		n.sent = append(n.sent, key)
		n.mu.Unlock()
		status, _, raw, err := send(context.Background(), n.order(base, key))
		if err != nil {
			return
		}
		if status == http.StatusCreated {
			n.mu.Lock()
			n.acknowledged[key] = raw
			n.mu.Unlock()
		}
	}
}

func TestNothingAcknowledgedIsLostOrDoubledWhenTheServerIsKilled(t *testing.T) {
	t.Parallel()
	rounds := roundsDefault
	if text := os.Getenv("PLATEN_CRASH_ROUNDS"); text != "" {
		var err error
		if rounds, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	folder := t.TempDir()
	binary := filepath.Join(folder, "platen")
	if out, err := exec.Command("go", "build", "-o", binary, "platen/cmd/platen").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	database := filepath.Join(folder, "platen.db")
	random := rand.New(rand.NewPCG(1, 2))
	var tenants []*tenant
	for round := range rounds {
		p := launch(t, binary, database)
		// A sandbox holds 2,000 open work orders, so each round has its own.
		tenants = tenants[:0]
		for range sandboxes {
			tenants = append(tenants, newTenant(t, p.base))
		}
		var writers sync.WaitGroup
		for _, n := range tenants {
			for w := range writersEach {
				writers.Go(func() { n.write(p.base, w, round) })
			}
		}
		<-time.After(time.Duration(20+random.IntN(300)) * time.Millisecond) // the moment of the kill
		p.kill()
		writers.Wait()
		p = launch(t, binary, database)
		acknowledged := 0
		for _, n := range tenants {
			acknowledged += len(n.acknowledged)
			n.check(t, p.base)
		}
		t.Logf("round %d: %d acknowledged writes, all there", round, acknowledged)
		p.kill()
	}
}

func newTenant(t *testing.T, base string) *tenant {
	t.Helper()
	status, _, raw, err := send(t.Context(), request{method: http.MethodPost, url: base + "/sandboxes", body: `{"preset":"manual"}`})
	if err != nil || status != http.StatusCreated {
		t.Fatalf("create a sandbox: %d %s %v", status, raw, err)
	}
	n := &tenant{acknowledged: map[string][]byte{}}
	if err := json.Unmarshal(raw, &struct{ Data *tenant }{n}); err != nil {
		t.Fatal(err)
	}
	return n
}

// check looks at everything after the restart.
func (n *tenant) check(t *testing.T, base string) {
	t.Helper()
	orders := n.created(t, base)
	for key, want := range n.acknowledged {
		status, header, got, err := send(t.Context(), n.order(base, key))
		if err != nil || status != http.StatusCreated || header.Get("Idempotency-Replayed") != "true" || !bytes.Equal(got, want) {
			t.Fatalf("the replay of %s is %d %s %v\ngot  %s\nwant %s", key, status, header.Get("Idempotency-Replayed"), err, got, want)
		}
		if orders["ref-"+key] != 1 {
			t.Fatalf("the acknowledged order %s is in the feed %d times", key, orders["ref-"+key])
		}
	}
	for reference, times := range orders {
		if times != 1 {
			t.Fatalf("%s was created %d times", reference, times)
		}
	}
	// What was sent and not acknowledged either happened or did not; a retry
	// makes it have happened once.
	for _, key := range n.sent {
		status, _, raw, err := send(t.Context(), n.order(base, key))
		if err != nil || status != http.StatusCreated {
			t.Fatalf("the retry of %s is %d %s %v", key, status, raw, err)
		}
	}
	if after := n.created(t, base); len(after) != len(n.sent) {
		t.Fatalf("%d orders were sent, %d exist", len(n.sent), len(after))
	}
}

// created reads the whole feed and counts the work orders by reference. The
// feed must have no gap and no repeat.
func (n *tenant) created(t *testing.T, base string) map[string]int {
	t.Helper()
	counts, ids := map[string]int{}, map[string]bool{}
	after := uint64(0)
	for {
		_, _, raw, err := send(t.Context(), request{method: http.MethodGet, url: fmt.Sprintf("%s/events?limit=100&after_seq=%d", base, after), key: n.Office})
		if err != nil {
			t.Fatal(err)
		}
		var page struct {
			Data struct {
				Items []struct {
					Seq  uint64
					ID   string
					Type string
					Data struct{ Reference string }
				}
				LastSeq uint64 `json:"last_seq"`
			}
			Error any
		}
		if err := errors.Join(json.Unmarshal(raw, &page)); err != nil || page.Error != nil {
			t.Fatalf("feed: %v %s", err, raw)
		}
		for _, e := range page.Data.Items {
			if e.Seq != after+1 || ids[e.ID] {
				t.Fatalf("event %d (%s) follows %d", e.Seq, e.ID, after)
			}
			after, ids[e.ID] = e.Seq, true
			if e.Type == "factory.work_order.created" {
				counts[e.Data.Reference]++
			}
		}
		if after >= page.Data.LastSeq {
			return counts
		}
	}
}

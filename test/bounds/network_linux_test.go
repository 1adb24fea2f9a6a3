package bounds

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// network is an address of the internet that a stranger or a client has.
type network string

// blocks are addresses of as many blocks, in IPv6.
func blocks(n int) (all []network) {
	for i := range n {
		all = append(all, network(fmt.Sprintf("2a02:%x::1", i+1)))
	}
	return all
}

// dial connects to the program from a network.
func (p *program) dial(from network) (net.Conn, error) {
	c, err := net.DialTimeout("tcp4", p.address, patience)
	if err != nil {
		return nil, err
	}
	family, to := "TCP4", "203.0.113.1"
	if strings.Contains(string(from), ":") {
		family, to = "TCP6", "2001:db8:ffff::1"
	}
	_, err = fmt.Fprintf(c, "PROXY %s %s %s %d 80\r\n", family, from, to, 1024+len(from))
	return c, err
}

// client is an HTTP client of a network.
func (p *program) client(from network) *http.Client {
	return &http.Client{
		Timeout: 20 * time.Second,
		Transport: &http.Transport{
			DialContext:         func(context.Context, string, string) (net.Conn, error) { return p.dial(from) },
			MaxIdleConnsPerHost: 8,
		},
	}
}

// keys are those of a sandbox.
type keys struct {
	from            network
	office, factory string
}

// create makes a sandbox from a network.
func (p *program) create(from network, body string) (k keys, err error) {
	web := p.client(from)
	defer web.CloseIdleConnections()
	response, err := web.Post("http://"+p.address+"/v1/sandboxes", "application/json", strings.NewReader(body))
	if err != nil {
		return k, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return k, err
	}
	var made struct {
		Data struct {
			Office  string `json:"office_key"`
			Factory string `json:"factory_key"`
		} `json:"data"`
	}
	if err := json.Unmarshal(text, &made); err != nil || response.StatusCode != http.StatusCreated {
		return k, fmt.Errorf("create a sandbox: %d %s", response.StatusCode, text)
	}
	return keys{from, made.Data.Office, made.Data.Factory}, nil
}

// creates makes a number of sandboxes from each network.
func (p *program) creates(from []network, each int, body string) (all []keys) {
	p.t.Helper()
	var mu sync.Mutex
	p.together(len(from), 8, func(i int) error {
		for range each {
			k, err := p.create(from[i], body)
			if err != nil {
				return err
			}
			mu.Lock()
			all = append(all, k)
			mu.Unlock()
		}
		return nil
	})
	return all
}

// together does a number of things, some at a time. The first error ends the test.
func (p *program) together(n, at int, do func(i int) error) {
	p.t.Helper()
	var group sync.WaitGroup
	work, failed := make(chan int), make(chan error, n)
	for range at {
		group.Go(func() {
			for i := range work {
				if err := do(i); err != nil {
					failed <- err
				}
			}
		})
	}
	for i := range n {
		work <- i
	}
	close(work)
	group.Wait()
	select {
	case err := <-failed:
		p.t.Fatal(err)
	default:
	}
}

// head is the head of a request in HTTP/1.1.
func head(method, path, key string, more ...string) string {
	text := method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n"
	if key != "" {
		text += "Authorization: Bearer " + key + "\r\n"
	}
	for _, line := range more {
		text += line + "\r\n"
	}
	return text + "\r\n"
}

// held are connections that a stranger keeps open.
type held struct {
	mu   sync.Mutex
	open []net.Conn
	// refused counts those that could not be opened.
	refused int
}

// hold opens connections from each network, a number each, and sends a text on each. It does not read.
func (p *program) hold(from []network, each int, text func(n network, i int) string) *held {
	h := &held{}
	var group sync.WaitGroup
	for share := range slices.Chunk(from, max(1, len(from)/8)) {
		group.Go(func() {
			for _, n := range share {
				for i := range each {
					c, err := p.dial(n)
					if err == nil {
						_ = c.(*net.TCPConn).SetReadBuffer(4096)
						_ = c.SetWriteDeadline(time.Now().Add(5 * time.Second))
						_, err = io.WriteString(c, text(n, i))
					}
					h.mu.Lock()
					if err != nil {
						h.refused++
					}
					if c != nil {
						h.open = append(h.open, c)
					}
					h.mu.Unlock()
				}
			}
		})
	}
	group.Wait()
	return h
}

// close ends the connections.
func (h *held) close() {
	for _, c := range h.open {
		c.Close()
	}
}

// victim is a well-behaved client of another block, whose requests are timed.
type victim struct {
	web    *http.Client
	keys   keys
	p      *program
	stop   chan struct{}
	done   sync.WaitGroup
	times  []time.Duration
	failed []error
}

const victimNetwork = network("198.51.100.7")

// victim makes a sandbox for the victim, in quiet.
func (p *program) victim() *victim {
	p.t.Helper()
	k, err := p.create(victimNetwork, `{"clock":"manual"}`)
	if err != nil {
		p.t.Fatal(err)
	}
	return &victim{web: p.client(victimNetwork), keys: k, p: p}
}

// begin sends a request less often than its budget allows, from a kept connection, and one in three from a new one.
func (v *victim) begin() {
	v.times, v.failed, v.stop = nil, nil, make(chan struct{})
	v.done.Go(func() {
		for n := 0; ; n++ {
			if n%3 == 2 {
				v.web.CloseIdleConnections()
			}
			began := time.Now()
			status, err := discard(v.p.do(v.web, call{
				method: http.MethodGet, path: "/v1/office/sales-orders?limit=5", key: v.keys.office,
			}))
			v.times = append(v.times, time.Since(began))
			if err == nil && status != http.StatusOK {
				err = fmt.Errorf("status %d", status)
			}
			if err != nil {
				v.failed = append(v.failed, err)
			}
			select {
			case <-v.stop:
				return
			case <-time.After(600 * time.Millisecond):
			}
		}
	})
}

// end ends the requests and returns the time that 99 of 100 stay within.
func (v *victim) end() (p99 time.Duration) {
	close(v.stop)
	v.done.Wait()
	slices.Sort(v.times)
	return v.times[len(v.times)*99/100]
}

// judge drives a limit to its maximum while the victim goes on, holds it for a while, and checks the memory.
func judge(t *testing.T, p *program, drive func() (release func()), hold time.Duration) {
	t.Helper()
	v := p.victim()
	v.begin()
	<-time.After(4 * time.Second)
	quiet := v.end()
	before := p.anonymous()
	v.begin()
	began := time.Now()
	release := drive()
	took := time.Since(began)
	<-time.After(hold)
	busy := v.end()
	if release != nil {
		release()
	}
	anonymous := p.peak.Load()
	t.Logf("--memory %d MiB: anonymous memory %d -> %d MiB, %d %% of it; kernel's buffers %d MiB; driven in %.1f s; "+
		"another client p99 %.0f ms, in quiet %.0f, slowest %.0f, %d of %d failed",
		p.memory/mebi, before/mebi, anonymous/mebi, anonymous*100/p.memory, p.kernel()/mebi, took.Seconds(),
		ms(busy), ms(quiet), ms(v.times[len(v.times)-1]), len(v.failed), len(v.times))
	if !p.alive() {
		t.Fatalf("the program is dead: %v\n%s", p.cmd.ProcessState, p.log)
	}
	if anonymous > p.memory*tolerated/100 {
		t.Errorf("the process takes %d MiB, more than %d %% of --memory %d MiB", anonymous/mebi, tolerated,
			p.memory/mebi)
	}
	for _, err := range v.failed {
		t.Errorf("another client: %v", err)
	}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

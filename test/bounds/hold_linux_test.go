package bounds

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// atEachSize runs a test with each size of --memory, one after the other: they measure the machine.
func atEachSize(t *testing.T, settings []string, test func(t *testing.T, p *program)) {
	t.Helper()
	for _, memory := range sizes(t) {
		t.Run(fmt.Sprintf("%dMiB", memory/mebi), func(t *testing.T) { test(t, serve(t, memory, settings...)) })
	}
}

// TestResponsesThatAreHeld take no more than half of the places: 44 blocks have every response held for a minute, and
// send as many requests as they may. A client that polls is served all the while.
func TestResponsesThatAreHeld(t *testing.T) {
	atEachSize(t, []string{"--max-sandboxes", "1000"}, func(t *testing.T, p *program) {
		from := blocks(44)
		all := p.creates(from, 4,
			`{"clock":"manual","faults":{"rules":[{"kind":"slow_response","share":1,"delay_ms":60000}]}}`)
		of := map[network][]keys{}
		for _, k := range all {
			of[k.from] = append(of[k.from], k)
		}
		judge(t, p, func() func() {
			return p.hold(from, 228, func(n network, i int) string {
				k := of[n][i/2%len(of[n])]
				if i%2 == 1 {
					return head("GET", "/v1/factory/presses", k.factory)
				}
				return head("GET", "/v1/events.csv?limit=100", k.office)
			}).close
		}, 8*time.Second)
	})
}

// TestConnectionsThatSendNothing, or not all of a request, stay within the memory: 10,000 are attempted from 44 blocks.
func TestConnectionsThatSendNothing(t *testing.T) {
	for name, text := range map[string]string{
		"silent":           "",
		"half a line":      "GET /v1/office/ca",
		"a line of 64 KB":  "GET /v1/" + strings.Repeat("a", 64000),
		"headers of 64 KB": "GET /v1/sandbox HTTP/1.1\r\nHost: localhost\r\nX-A: " + strings.Repeat("a", 64000),
		"half a body": head("POST", "/v1/sandboxes", "", "Content-Type: application/json",
			"Content-Length: 16000") + strings.Repeat(" ", 15000),
		"half a batch": head("POST", "/mcp", "", "Content-Type: application/json",
			"Accept: application/json, text/event-stream", "Mcp-Protocol-Version: 2026-07-28",
			"Content-Length: 65000") + strings.Repeat(" ", 64000),
	} {
		t.Run(name, func(t *testing.T) {
			atEachSize(t, nil, func(t *testing.T, p *program) {
				judge(t, p, func() func() {
					h := p.hold(blocks(44), 228, func(network, int) string { return text })
					return h.close
				}, 5*time.Second)
			})
		})
	}
}

// TestStrangersOfManyNetworks: 44 blocks send a request from each of 1,000 networks, and ask for pages from as many.
func TestStrangersOfManyNetworks(t *testing.T) {
	atEachSize(t, nil, func(t *testing.T, p *program) {
		const networks = 1000
		judge(t, p, func() func() {
			p.together(44*networks, 64, func(i int) error {
				from := network(fmt.Sprintf("2a02:%x:0:%x::1", 1+i%44, i/44))
				c, err := p.dial(from)
				if err != nil {
					return err
				}
				defer c.Close()
				_ = c.SetDeadline(time.Now().Add(patience))
				path := []string{"/v1/office/cash", "/healthz", "/docs/llms.txt", "/v1/nothing"}[i%4]
				if _, err := io.WriteString(c, head("GET", path, "", "Connection: close")); err != nil {
					return nil // it has been refused
				}
				_, _ = io.Copy(io.Discard, c)
				return nil
			})
			return nil
		}, time.Second)
	})
}

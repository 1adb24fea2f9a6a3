package bounds

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"platen/internal/testclient"
)

// sizes are those of --memory at which each limit is driven.
var sizes = []int64{256 * mebi, 1024 * mebi}

// atEachSize runs a test at both sizes, one after the other: they measure the machine.
func atEachSize(t *testing.T, settings []string, test func(t *testing.T, p *program)) {
	t.Helper()
	testclient.InCheck(t, "the limits by what the program counts, in internal/server and internal/sandbox")
	for _, memory := range sizes {
		t.Run(fmt.Sprintf("%dMiB", memory/mebi), func(t *testing.T) { test(t, serve(t, memory, settings...)) })
	}
}

// TestConnectionsThatSendNothing, or not all of a request, stay within the memory: 10,000 are attempted from 44 blocks.
func TestConnectionsThatSendNothing(t *testing.T) {
	for name, text := range map[string]string{
		"silent":           "",
		"half a line":      "GET /v1/office/ca",
		"a line of 64 KB":  "GET /v1/" + strings.Repeat("a", 64000),
		"headers of 64 KB": "GET /v1/sandbox HTTP/1.1\r\nHost: localhost\r\nX-A: " + strings.Repeat("a", 64000),
		"half a body":      head("POST", "/v1/sandboxes", "", "Content-Type: application/json", "Content-Length: 16000") + strings.Repeat(" ", 15000),
		"half a batch":     head("POST", "/mcp", "", "Content-Type: application/json", "Accept: application/json, text/event-stream", "Mcp-Protocol-Version: 2026-07-28", "Content-Length: 65000") + strings.Repeat(" ", 64000),
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

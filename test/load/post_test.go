package load

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"testing"

	"platen/client"
)

const (
	// maxPosts keeps a sandbox below its 2,000 open work orders.
	maxPosts = 1900
	postPath = "/v1/factory/work-orders"
	postBody = `{"sku":"prd_notebook","quantity":10}`
)

// BenchmarkPost compares writes, a sandbox to a connection, with a bare net/http that appends each request and its
// response to a raw log. The rest is the price of the command, of its stored reply and of SQLite; db-KB/req says how
// fast a client can fill the disk (SECURITY.md).
func BenchmarkPost(b *testing.B) {
	s := setup{Database: filepath.Join(b.TempDir(), "platen.db")}
	platen := s.spawn(b)
	sandboxes := create(b, platen.address, connections, client.ClockModeManual)
	response := record(b, platen, postPath, sandboxes[0].FactoryKey, postBody)
	response.Log = filepath.Join(b.TempDir(), "raw")
	bare := spawnBare(b, response)
	platen.close(b)
	before := fileBytes(s.Database)
	platen = s.spawn(b)
	r := post(platen, sandboxes).run(b)
	platen.close(b)
	size := (fileBytes(s.Database) - before) / float64(r.requests)
	platen = s.spawn(b)
	duel(b, func() (*hammer, *hammer) {
		fresh := create(b, platen.address, connections, client.ClockModeManual)
		return post(platen, fresh), post(bare, fresh)
	})
	report(b, "db-KB/req", size/1e3)
}

// post hammers with work orders, for one sandbox to a connection.
func post(p *process, sandboxes []*client.Sandbox) *hammer {
	// Each connection has bytes of its own, in which only the idempotency key changes.
	requests, places := make([][]byte, len(sandboxes)), make([]int, len(sandboxes))
	for i, s := range sandboxes {
		requests[i] = postRequest(p, s.FactoryKey)
		places[i] = len(requests[i])
	}
	return &hammer{p, len(sandboxes), http.StatusCreated, func(connection, n int) []byte {
		if n >= maxPosts {
			return nil
		}
		request := strconv.AppendInt(requests[connection][:places[connection]], int64(n), 10)
		requests[connection] = append(request, "\r\n\r\n"+postBody...)
		return requests[connection]
	}}
}

// postRequest returns the head of a request up to the number in its idempotency key.
func postRequest(p *process, key string) []byte {
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\nIdempotency-Key: order-",
		postPath, p.address, key, len(postBody))
}

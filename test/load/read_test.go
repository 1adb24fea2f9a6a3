package load

import (
	"path/filepath"
	"testing"

	"platen/client"
)

const (
	readDays = 30
	listPath = "/v1/office/sales-orders?limit=50"
)

// BenchmarkRead compares reads of an old company with a bare net/http that always sends the same response.
// The rest is the price of the road of a request: door, budget, view, rows.
func BenchmarkRead(b *testing.B) {
	s := setup{Database: filepath.Join(b.TempDir(), "platen.db")}
	before := s.spawn(b)
	sandboxes := create(b, before.address, 1, client.ClockModeManual)
	play(b, before.address, sandboxes, readDays)
	orders, err := sandboxes[0].Client().ListSalesOrders(b.Context(), client.ListSalesOrdersParams{Limit: 50})
	must(b, err)
	if len(orders.Items) < 50 {
		b.Fatalf("the company has %d orders", len(orders.Items))
	}
	before.close(b)
	platen, key := s.spawn(b), sandboxes[0].OfficeKey // again, so that its rows are those of a load
	for _, read := range []struct{ name, path string }{
		{"rows=50", listPath}, {"rows=1", "/v1/office/sales-orders/" + orders.Items[25].ID},
	} {
		b.Run(read.name, func(b *testing.B) {
			bare := spawnBare(b, record(b, platen, read.path, key, ""))
			duel(b, func() (*hammer, *hammer) { return get(platen, read.path, key), get(bare, read.path, key) })
		})
	}
}

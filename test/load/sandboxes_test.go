package load

import (
	"fmt"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"platen/client"
	"platen/eval/player"
)

// clients is how many create or play sandboxes at a time.
const clients = 16

// create makes sandboxes with seeds from 1 on.
func create(b *testing.B, address string, n int, clock client.ClockMode) []*client.Sandbox {
	b.Helper()
	made, _ := createTimed(b, address, n, clock)
	return made
}

// createTimed makes sandboxes and returns how many seconds each creation took, too.
func createTimed(b *testing.B, address string, n int, clock client.ClockMode) ([]*client.Sandbox, []float64) {
	b.Helper()
	made, seconds := make([]*client.Sandbox, n), make([]float64, n)
	together(b, n, func(i int, web *http.Client) (err error) {
		began := time.Now()
		made[i], err = client.CreateSandbox(b.Context(), "http://"+address, client.CreateSandboxInput{
			Clock: &clock, Seed: new(int64(i + 1)),
		}, client.HTTPClient(web))
		seconds[i] = time.Since(began).Seconds()
		return err
	})
	return made, seconds
}

// play lets the greedy player live some days in each sandbox, over HTTP. A company that prints or ships nothing is
// a failure.
func play(b *testing.B, address string, sandboxes []*client.Sandbox, days int) {
	b.Helper()
	together(b, len(sandboxes), func(i int, web *http.Client) error {
		greedy, c := player.Greedy(), client.New("http://"+address, sandboxes[i].Keys(), client.HTTPClient(web))
		if err := greedy.PlayRemote(b.Context(), c, days); err != nil {
			return err
		}
		runs, err := c.ListPrintRuns(b.Context(), client.ListPrintRunsParams{})
		if err != nil {
			return err
		}
		shipments, err := c.ListFactoryShipments(b.Context(), client.ListFactoryShipmentsParams{})
		if err == nil && (len(runs.Items) == 0 || len(shipments.Items) == 0) {
			err = fmt.Errorf("after %d days a company has %d print runs and %d shipments", days, len(runs.Items),
				len(shipments.Items))
		}
		return err
	})
}

// together does something n times, by several clients at once.
func together(b *testing.B, n int, do func(i int, web *http.Client) error) {
	b.Helper()
	web := &http.Client{Timeout: answerTime, Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	defer web.CloseIdleConnections()
	var next atomic.Int64
	errs := make([]error, clients)
	var working sync.WaitGroup
	for c := range clients {
		working.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && errs[c] == nil; i = int(next.Add(1)) - 1 {
				errs[c] = do(i, web)
			}
		})
	}
	working.Wait()
	for _, err := range errs {
		must(b, err)
	}
}

// fileBytes returns the size of a database with its log.
func fileBytes(path string) (total float64) {
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(path + suffix); err == nil {
			total += float64(info.Size())
		}
	}
	return total
}

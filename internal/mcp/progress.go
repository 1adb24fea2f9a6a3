package mcp

import (
	"context"
	"fmt"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// progressPace is the time between two notifications of a call that takes long: shorter than the patience of clients
// that count each as a sign of life.
const progressPace = 5 * time.Second

// report notifies a client that asked for it while its call is under way (contract: OPEN.MCP.PROGRESS), until stop is
// called. create_sandbox has news of its own and says them instead.
func (c *call) report(ctx context.Context) (stop func()) {
	token := c.request.Params.GetProgressToken()
	if token == nil || c.tool.Name == createSandbox {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var over sync.WaitGroup
	over.Go(func() {
		pace := time.NewTicker(c.endpoint.options.Pace)
		defer pace.Stop()
		for n := 1; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-pace.C:
			}
			seconds := time.Duration(n) * c.endpoint.options.Pace / time.Second
			// A client that gets no notifications waits all the same.
			_ = c.request.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
				ProgressToken: token, Progress: float64(n), Message: fmt.Sprintf("under way for %d s", seconds),
			})
		}
	})
	return func() {
		cancel()
		over.Wait() // nothing comes after the response
	}
}

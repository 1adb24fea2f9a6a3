package scenario

import (
	"syscall"
	"testing"

	"platen/client"
	"platen/test/testclient"
)

// TestItFollowsTheFeedUntilItIsAskedToStop starts each program without --once.
func TestItFollowsTheFeedUntilItIsAskedToStop(t *testing.T) {
	t.Parallel()
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			w := found(t, "starter", client.BridgeManual, 1)
			pause := "0.05"
			if p.name == inGo.name {
				pause = "50ms"
			}
			following := p.install(t, w).start("--pause", pause)
			defer following.kill()
			for _, number := range []string{"SO-1001", "SO-1002"} {
				w.accept(number)
				testclient.Eventually(t, number+" is at the Factory", patience, func() bool {
					return len(w.all("/factory/work-orders?reference="+w.order(number))) == 1
				})
			}
			if err := following.cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if r := following.wait(); r.status != 0 || r.killed || r.stderr != "" {
				t.Errorf("asked to stop, it ended with %v", r)
			}
		})
	}
}

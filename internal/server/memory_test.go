package server

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"platen/internal/config"
	"platen/test/testclient"
)

// TestMoreSandboxesThanMemoryHoldsAreServed makes more companies than half of the
// memory holds, and reads them in turns, so that most have to be loaded.
func TestMoreSandboxesThanMemoryHoldsAreServed(t *testing.T) {
	t.Parallel()
	const clients = 8
	sandboxes := testclient.Few(450, 600)
	s := start(t, func(c *config.Config) { c.Memory, c.MaxSandboxes = "64MiB", sandboxes })
	offices := make([]string, sandboxes)
	each := func(do func(i int)) {
		var working sync.WaitGroup
		for client := range clients {
			working.Go(func() {
				for i := client; i < sandboxes; i += clients {
					do(i)
					if use := s.registry.Memory(); use.Bytes > use.Limit+clients*(1<<20) {
						t.Errorf("companies of %d bytes are in memory, the limit is %d", use.Bytes, use.Limit)
						return
					}
				}
			})
		}
		working.Wait()
	}
	each(func(i int) { offices[i], _ = keys(t, s) })
	for range 2 {
		each(func(i int) {
			a := get(t, s, http.MethodGet, "/v1/sandbox", offices[i])
			if a.status != http.StatusOK {
				t.Errorf("sandbox %d: %d %s", i, a.status, a.body)
			}
		})
	}
	use := s.registry.Memory()
	const limit = 64 << 20 / 100 * companyPercent
	if use.Limit != limit || use.Companies >= sandboxes/2 || use.Loads < uint64(sandboxes) || use.Refusals > 0 {
		t.Errorf("memory is %+v", use)
	}
	figures := string(get(t, s, http.MethodGet, "/metrics", "").body)
	for _, name := range []string{"companies_loaded", "companies_bytes", "companies_limit_bytes", "companies_evicted"} {
		if !strings.Contains(figures, "\nplaten_"+name+" ") {
			t.Errorf("there is no platen_%s", name)
		}
	}
}

func TestTheMemoryOfAServerIsItsSettingOrAPartOfWhatThereIs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{"512MiB": 512 << 20, "2GB": 2_000_000_000, "100000000": 100_000_000} {
		c := config.Default()
		c.Memory = text
		if got, err := MemoryLimit(c); err != nil || got != want {
			t.Errorf("%s is %d, %v, want %d", text, got, err, want)
		}
	}
	if got, err := MemoryLimit(config.Default()); err != nil || got < config.MemoryLeast {
		t.Errorf("without the setting it is %d, %v", got, err)
	}
}

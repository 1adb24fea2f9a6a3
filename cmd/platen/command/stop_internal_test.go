package command

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"platen/internal/server"
)

// TestAStopEndsBeforeItIsKilled, also when the database hangs.
func TestAStopEndsBeforeItIsKilled(t *testing.T) {
	t.Parallel()
	const rest = 3 * time.Second
	for _, file := range []string{"platen.service", "compose.yaml", "compose.cluster.yaml"} {
		content, err := os.ReadFile(filepath.Join("..", "..", "..", "build", "deploy", file))
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(`(?:TimeoutStopSec=|stop_grace_period: )(\d+)`).FindSubmatch(content)
		if found == nil {
			t.Fatalf("%s does not say how long a stop may take", file)
		}
		patience, _ := strconv.Atoi(string(found[1]))
		if most := drainTime + server.EndTime + rest; most > time.Duration(patience)*time.Second {
			t.Errorf("%s kills after %d s, and a stop takes up to %s", file, patience, most)
		}
	}
}

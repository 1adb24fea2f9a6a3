package server

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"platen/internal/api/message"
	"platen/internal/config"
	"platen/internal/desk"
	"platen/internal/desk/injection"
	"platen/internal/desk/subscription"
)

// TestTheLimitsOfSECURITYAreThoseOfTheProgram compares the table with the constants and defaults, row by row. Whatever
// clients can add to the state that is stored, or have the server keep, has its row there.
func TestTheLimitsOfSECURITYAreThoseOfTheProgram(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if cells := strings.Split(line, "|"); len(cells) > 3 {
			rows[strings.TrimSpace(cells[1])] = cells[2]
		}
	}
	c := config.Default()
	const kibi = 1 << 10
	for row, wants := range map[string][]string{
		"connections": {
			"10,000", fmt.Sprintf("for every %d KiB of a quarter", connectionBytes/kibi),
			fmt.Sprintf("(%s at 256 MiB)", thousands(256<<20/connectionPart/connectionBytes)),
		},
		"connections of a network":                   {fmt.Sprint(c.IPConnections)},
		"requests and responses of more than 16 KiB": {"an eighth"},
		"line and headers of a request":              {fmt.Sprintf("%d KiB", maxHeader/kibi)},
		"bodies":                                     {thousands(message.MaxBody) + " bytes"},
		"requests of a key":                          {fmt.Sprintf("%d a minute, %d at once", c.KeyRate, c.KeyBurst)},
		"requests of a network": {
			fmt.Sprintf("%d a minute; %d without", c.IPRate, c.AnonymousRate),
		},
		"pages, search, documents, metrics": {
			fmt.Sprintf("%d a minute", c.PageRate), "search counts as five", "read of the console as three",
		},
		"sandboxes":              {thousands(c.MaxSandboxes)},
		"sandboxes of a network": {fmt.Sprintf("%d, and %d creations", c.IPActive, c.IPCreations)},
		"queue":                  {fmt.Sprint(c.QueueLength, " tickets")},
		"logged requests of sandboxes, and faults that happened": {fmt.Sprintf("%d of each", desk.MaxCalls)},
		"checkpoints; webhooks; pending faults; pending effects of triggers": {fmt.Sprintf("%d; %d; %d, each %d times",
			desk.MaxCheckpoints, subscription.MaxSubscriptions, injection.MaxInjected, injection.MaxCount)},
	} {
		for _, want := range wants {
			if !strings.Contains(rows[row], want) {
				t.Errorf("the row %q says %q, want %q", row, rows[row], want)
			}
		}
	}
	if desk.MaxFaultHits != desk.MaxCalls || connectionPart != 4 || sharePart != 8 || c.Connections != 10_000 ||
		message.Small != 16*kibi || searchTokens != 5 {
		t.Error("the table spells out a number that is another one now")
	}
}

// thousands is a number as the table writes it.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

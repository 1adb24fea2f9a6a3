package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"platen/client"
	"platen/platentest"
	"platen/test/testclient"
)

// TestTheTutorialsProgramFollowsTheFeed takes the last version of the program from the page,
// in each language, leaves it running, and accepts orders meanwhile. It is killed between the
// two, and what it did must be there once.
func TestTheTutorialsProgramFollowsTheFeed(t *testing.T) {
	t.Parallel()
	endings := map[string]string{"python": "py", "javascript": "mjs", "go": "go"}
	for _, language := range written() {
		ending := endings[language]
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			for _, fence := range fences.FindAllStringSubmatch(page(t, shared(), "/docs/tutorial.md"), -1) {
				_, name, ok := strings.Cut(fence[1], " file=")
				name, _, _ = strings.Cut(name, " ")
				if ok && strings.HasSuffix(name, "."+ending) {
					save(t, filepath.Join(folder, name), fence[2])
				}
			}
			argv := following(t, folder, language)
			s := shared().Sandbox(t, platentest.Options{Preset: "manual", Seed: new(int64(7)), Clock: "manual"})
			c := client.New(s.BaseURL, client.Keys{Office: s.OfficeKey, Factory: s.FactoryKey})
			for _, sku := range []string{"prd_card", "prd_flyer"} {
				program := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
				program.Dir = folder
				program.Env = append(os.Environ(), "PLATEN_URL="+s.BaseURL, "PLATEN_OFFICE_KEY="+s.OfficeKey,
					"PLATEN_FACTORY_KEY="+s.FactoryKey)
				var said strings.Builder
				program.Stdout, program.Stderr = &said, &said
				if err := program.Start(); err != nil {
					t.Fatal(err)
				}
				received := client.ListSalesOrdersParams{SKU: sku, Status: client.OfficeSalesOrderStatusReceived}
				for order, err := range c.SalesOrders(t.Context(), received) {
					if err != nil {
						t.Fatal(err)
					}
					if _, err := c.AcceptSalesOrder(t.Context(), order.ID); err != nil {
						t.Fatal(err)
					}
				}
				testclient.Eventually(t, "the work order of "+sku, time.Minute, func() bool {
					return made(t, c, sku) == 1
				})
				if err := program.Process.Kill(); err != nil {
					t.Errorf("the program ended: %v\n%s", err, said.String())
				}
				_ = program.Wait() // it was killed
			}
			if cards, flyers := made(t, c, "prd_card"), made(t, c, "prd_flyer"); cards != 1 || flyers != 1 {
				t.Errorf("there are %d work orders for cards and %d for flyers", cards, flyers)
			}
		})
	}
}

// made counts the work orders for a product.
func made(t *testing.T, c *client.Client, sku string) int {
	t.Helper()
	n := 0
	for work, err := range c.WorkOrders(t.Context(), client.ListWorkOrdersParams{}) {
		if err != nil {
			t.Fatal(err)
		}
		if work.SKU == sku {
			n++
		}
	}
	return n
}

// following is the command line of the program in a folder. One in Go is built first: the
// Go tool would outlive what it runs.
func following(t *testing.T, folder, language string) []string {
	t.Helper()
	switch language {
	case "python":
		return []string{interpreter(t), "-B", "bridge.py", "--follow"}
	case "javascript":
		return []string{testclient.Need(t, "node"), "bridge.mjs", "--follow"}
	}
	program := filepath.Join(folder, "bridge")
	build := exec.CommandContext(t.Context(), testclient.Need(t, "go"), "build", "-o", program, "api.go", "bridge.go")
	build.Dir = folder
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return []string{program, "--follow"}
}

func save(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

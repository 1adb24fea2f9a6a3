package platentest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"platen/test/testclient"
)

// foreign is a test as a module of somebody else has it.
const foreign = `package bridge_test

import (
	"testing"

	"platen/client"
	"platen/platentest"
)

func TestAnOrderIsThere(t *testing.T) {
	s := platentest.Start(t).Sandbox(t, platentest.Options{Preset: "starter", Clock: "manual"})
	c := client.New(s.BaseURL, client.Keys{Office: s.OfficeKey, Factory: s.FactoryKey})
	for order, err := range c.SalesOrders(t.Context(), client.ListSalesOrdersParams{}) {
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("found %s", order.Number)
		return
	}
	t.Fatal("there is no order")
}
`

// TestAForeignModuleTestsWithIt: one that has nothing but a requirement, and a replacement in
// place of a release.
func TestAForeignModuleTestsWithIt(t *testing.T) {
	t.Parallel()
	testclient.InCheck(t, "the other tests are in another package of this module")
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.org/bridge\n\ngo 1.26.0\n\nrequire platen v0.0.0\n\nreplace platen => " + root + "\n",
		"go.sum": string(sums), "bridge_test.go": foreign,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-mod=mod", "-count=1", "-v", "./...")
	cmd.Dir = folder
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
}

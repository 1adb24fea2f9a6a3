package market_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain makes property tests repeatable, unless -rapid.seed or RAPID_SEED
// says otherwise.
func TestMain(m *testing.M) {
	flag.Parse()
	chosen := os.Getenv("RAPID_SEED") != ""
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "rapid.seed" })
	if !chosen {
		if err := flag.Set("rapid.seed", "1"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

//go:build unix

package valkey

import (
	"flag"
	"os"
	"testing"

	"platen/test/testclient"
)

func TestMain(m *testing.M) {
	flag.Parse()
	testclient.FewChecks(40)
	os.Exit(m.Run())
}

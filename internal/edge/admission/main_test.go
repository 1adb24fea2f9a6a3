package admission_test

import (
	"flag"
	"os"
	"testing"

	"platen/test/testclient"
)

func TestMain(m *testing.M) {
	flag.Parse()
	testclient.FewChecks(12)
	os.Exit(m.Run())
}

package testclient

import (
	"crypto/rand"
	"math/big"
	"net"
	"strconv"
	"testing"
)

// Ports that servers are given: below the range of ephemeral ports, so that no connection
// of another process takes one while its server is away.
const (
	firstPort = 10_000
	ports     = 20_000
)

// FreeAddress is a loopback address without a listener, for a server that has to have the
// same one whenever it is started.
func FreeAddress(t testing.TB) string {
	t.Helper()
	for {
		n, err := rand.Int(rand.Reader, big.NewInt(ports))
		if err != nil {
			t.Fatal(err)
		}
		address := net.JoinHostPort("127.0.0.1", strconv.FormatInt(firstPort+n.Int64(), 10))
		listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
		if err != nil {
			continue
		}
		if err := listener.Close(); err != nil {
			t.Fatal(err)
		}
		return address
	}
}

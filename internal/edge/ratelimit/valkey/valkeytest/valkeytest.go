// Package valkeytest starts Valkey or Redis servers for tests, from the programs that the
// machine has.
package valkeytest

import "errors"

// ErrNoServer is why tests are skipped.
var ErrNoServer = errors.New("neither valkey-server nor redis-server is installed")

// Address is the server's, as the setting of the program takes it.
func (s *Server) Address() string { return "unix://" + s.socket }

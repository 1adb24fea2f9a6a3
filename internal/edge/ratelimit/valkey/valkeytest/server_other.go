//go:build !unix

package valkeytest

// A Server is a server of our own, which is started on Unix only.
type Server struct{ socket string }

// Begin returns ErrNoServer.
func Begin() (*Server, error) { return nil, ErrNoServer }

// Start does nothing.
func (s *Server) Start() error { return nil }

// Kill does nothing.
func (s *Server) Kill() {}

// Close does nothing.
func (s *Server) Close() {}

//go:build unix

package valkeytest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// guardScript ends the server when the other end of its input is closed: also
// after a test that was killed.
const guardScript = `"$@" & server=$!
cat >/dev/null
kill -KILL $server; wait $server`

// A Server is a server of our own: its socket is in a temporary folder, and it
// keeps nothing on disk.
type Server struct {
	program string
	socket  string
	guard   *exec.Cmd
	stdin   io.Closer
}

// Begin starts a server. It returns ErrNoServer where there is no program.
func Begin() (*Server, error) {
	for _, name := range []string{"valkey-server", "redis-server"} {
		program, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		folder, err := os.MkdirTemp("", "platen-valkey-") // a socket must have a short path
		if err != nil {
			return nil, err
		}
		s := &Server{program: program, socket: filepath.Join(folder, "s")}
		return s, s.Start()
	}
	return nil, ErrNoServer
}

// Start returns when the server takes connections.
func (s *Server) Start() error {
	s.guard = exec.Command("/bin/sh", "-c", guardScript, "sh", s.program, "--port", "0", "--unixsocket", s.socket,
		"--save", "", "--appendonly", "no", "--daemonize", "no")
	s.guard.Dir = filepath.Dir(s.socket)
	s.guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := s.guard.StdoutPipe()
	if err != nil {
		return err
	}
	if s.stdin, err = s.guard.StdinPipe(); err != nil {
		return err
	}
	if err := s.guard.Start(); err != nil {
		return err
	}
	var heard strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan(); {
		heard.WriteString(lines.Text() + "\n")
		if strings.Contains(strings.ToLower(lines.Text()), "ready to accept connections") {
			go io.Copy(io.Discard, out)
			return nil
		}
	}
	s.Kill()
	return fmt.Errorf("the server did not begin:\n%s", heard.String())
}

// Kill ends the server at once, and returns when it is gone.
func (s *Server) Kill() {
	if s.stdin == nil {
		return
	}
	s.stdin.Close()
	s.guard.Wait() // it ends as a process does that was killed
	s.stdin = nil
}

// Close ends the server and removes all of it.
func (s *Server) Close() {
	s.Kill()
	os.RemoveAll(filepath.Dir(s.socket))
}

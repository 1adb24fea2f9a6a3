//go:build unix

package postgrestest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// A Cluster is a PostgreSQL server of our own: its data, its socket and its
// processes are in and of one temporary directory.
type Cluster struct {
	directory string
	binaries  string
	account   *syscall.Credential // nil for our own
	guard     *exec.Cmd           // a shell that outlives the server, and us
	stdin     io.WriteCloser      // closed, by us or by our end, it tells the guard to stop
}

// guardScript starts the server, lets it crash and starts it again for each line of its
// input, and ends it, with its directory, when the other end is closed: also after a
// test that was killed.
const guardScript = `directory=$1; shift
"$@" & server=$!
while read -r line; do
	kill -QUIT $server; wait $server
	"$@" & server=$!
done
kill -QUIT $server; wait $server
rm -rf "$directory"`

// Start starts a cluster. It returns ErrNoServer when there is no PostgreSQL.
func Start() (*Cluster, error) {
	binaries, err := findBinaries()
	if err != nil {
		return nil, err
	}
	return create(binaries, "initdb", "-U", "platen", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
}

// Standby starts a server that follows c, whose commits wait for it from then on.
func (c *Cluster) Standby() (*Cluster, error) {
	s, err := create(c.binaries, "pg_basebackup", "-h", c.directory, "-U", "platen", "-R", "--no-sync", "-c", "fast")
	if err != nil {
		return nil, err
	}
	// Not a setting of its start, or nothing could be committed before there is a standby.
	const setting = "\nsynchronous_standby_names = '*'\n"
	file, err := os.OpenFile(filepath.Join(c.data(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = file.WriteString(setting)
		err = errors.Join(err, file.Close())
	}
	if err == nil {
		err = c.run("pg_ctl", "reload", "-D", c.data())
	}
	if err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// Promote makes a standby take writes, and returns when it does.
func (c *Cluster) Promote() error { return c.run("pg_ctl", "promote", "-w", "-D", c.data()) }

func (c *Cluster) data() string { return filepath.Join(c.directory, "data") }

// create has a program make the data of a cluster, and starts it.
func create(binaries, program string, arguments ...string) (*Cluster, error) {
	directory, err := os.MkdirTemp("", "platen-postgres-")
	if err != nil {
		return nil, err
	}
	c := &Cluster{directory: directory, binaries: binaries}
	if c.account, err = serverAccount(directory); err == nil {
		err = c.run(program, append(arguments, "-D", c.data())...)
	}
	if err != nil {
		os.RemoveAll(directory)
		return nil, err
	}
	c.guard = c.command("/bin/sh", "-c", guardScript, "sh", directory, filepath.Join(binaries, "postgres"),
		"-D", c.data(), "-k", directory, "-c", "listen_addresses=", "-c", "max_connections=300",
		"-c", "wal_init_zero=off", "-c", "checkpoint_timeout=1h")
	return c, c.start()
}

func (c *Cluster) command(name string, args ...string) *exec.Cmd {
	command := exec.Command(name, args...)
	command.Dir = c.directory
	command.Env = append(os.Environ(), "LC_ALL=C")
	command.SysProcAttr = &syscall.SysProcAttr{Credential: c.account, Setpgid: true}
	return command
}

// run runs a program of PostgreSQL to its end.
func (c *Cluster) run(program string, arguments ...string) error {
	if out, err := c.command(filepath.Join(c.binaries, program), arguments...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", program, err, out)
	}
	return nil
}

// start returns when the server takes connections.
func (c *Cluster) start() error {
	stdin, err := c.guard.StdinPipe()
	if err != nil {
		return err
	}
	c.stdin = stdin
	log, err := c.guard.StderrPipe()
	if err != nil {
		return err
	}
	if err := c.guard.Start(); err != nil {
		return err
	}
	var said strings.Builder
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "ready to accept") {
			go io.Copy(io.Discard, log)
			return nil
		}
		fmt.Fprintln(&said, lines.Text())
	}
	c.Stop()
	return fmt.Errorf("the server did not start:\n%s", &said)
}

// Crash ends the server without a word to its clients, and has it started again. It
// returns at once.
func (c *Cluster) Crash() error {
	_, err := io.WriteString(c.stdin, "again\n")
	return err
}

// Stop ends the server and removes all of it.
func (c *Cluster) Stop() {
	c.stdin.Close()
	c.guard.Wait()
}

// findBinaries returns the directory of initdb and postgres: of the PATH, or
// the newest version where distributions keep them.
func findBinaries() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		// It may be a link beside which the server is not.
		if path, err = filepath.EvalSymlinks(path); err == nil && hasServer(filepath.Dir(path)) {
			return filepath.Dir(path), nil
		}
	}
	var found []string
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin"} {
		directories, _ := filepath.Glob(pattern) // the only error is a bad pattern
		found = append(found, slices.DeleteFunc(directories, func(d string) bool { return !hasServer(d) })...)
	}
	if len(found) == 0 {
		return "", ErrNoServer
	}
	return slices.MaxFunc(found, func(a, b string) int { return versionOf(a) - versionOf(b) }), nil
}

func hasServer(directory string) bool {
	for _, name := range []string{"initdb", "postgres"} {
		if _, err := os.Stat(filepath.Join(directory, name)); err != nil {
			return false
		}
	}
	return true
}

// versionOf is the 17 of /usr/lib/postgresql/17/bin.
func versionOf(directory string) int {
	name := filepath.Base(filepath.Dir(directory))
	version, _ := strconv.Atoi(strings.TrimPrefix(name, "pgsql-"))
	return version
}

// serverAccount is the account of the server, nil for our own. PostgreSQL refuses
// to run as root; root gives the directory to another account.
func serverAccount(directory string) (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		account, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, errors.New("root cannot run PostgreSQL, and there is neither a user postgres nor nobody")
	}
	uid, err := strconv.Atoi(account.Uid)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.Atoi(account.Gid)
	if err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, os.Chown(directory, uid, gid)
}

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
	guard     *exec.Cmd      // a shell that outlives the server, and us
	stdin     io.WriteCloser // closed, by us or by our end, it tells the guard to stop
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
	directory, err := os.MkdirTemp("", "platen-postgres-")
	if err != nil {
		return nil, err
	}
	account, err := serverAccount(directory)
	if err != nil {
		return nil, err
	}
	command := func(name string, args ...string) *exec.Cmd {
		c := exec.Command(name, args...)
		c.Dir = directory
		c.Env = append(os.Environ(), "LC_ALL=C")
		c.SysProcAttr = &syscall.SysProcAttr{Credential: account, Setpgid: true}
		return c
	}
	data := filepath.Join(directory, "data")
	create := command(filepath.Join(binaries, "initdb"), "-D", data, "-U", "platen", "-A", "trust",
		"-E", "UTF8", "--locale=C", "--no-sync")
	if out, err := create.CombinedOutput(); err != nil {
		os.RemoveAll(directory)
		return nil, fmt.Errorf("initdb: %w\n%s", err, out)
	}
	c := &Cluster{directory: directory}
	c.guard = command("/bin/sh", "-c", guardScript, "sh", directory, filepath.Join(binaries, "postgres"),
		"-D", data, "-k", directory, "-c", "listen_addresses=", "-c", "max_connections=300",
		"-c", "wal_init_zero=off", "-c", "checkpoint_timeout=1h")
	return c, c.start()
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
		if strings.Contains(lines.Text(), "ready to accept connections") {
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

package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"platen/test/testclient"
)

func init() { untraced = withoutTracing } //nolint:gochecknoinits // on this system alone

// withoutTracing are the words before a command that takes from it the capabilities to read other processes, none where
// this process lacks them.
func withoutTracing() []string {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var has [2]unix.CapUserData
	if err := unix.Capget(&head, &has[0]); err != nil || has[0].Effective|has[1].Effective == 0 {
		return nil
	}
	return []string{
		"setpriv", "--bounding-set=-sys_ptrace,-sys_admin,-perfmon", "--inh-caps=-sys_ptrace,-sys_admin,-perfmon",
	}
}

// peeking tries to read the process above it, as a player may, and names each file that it could open.
const peeking = `for name in environ mem maps; do
	(exec 3<"/proc/$PPID/$name") 2>/dev/null && echo "opened $name"
done
tr '\0' '\n' <"/proc/$PPID/environ" 2>/dev/null | grep -a secret-secret
ls -l "/proc/$PPID/fd" 2>/dev/null | grep -a pipe
cat /dev/fd/0 | grep -a secret-secret
echo peeked
platen tick
`

// TestThePlayerReadsNoSecretOfItsEvaluation: the program that platen eval or platen tasks runs can open neither the
// environment nor the memory of the process above it, which it can where that process hides nothing.
func TestThePlayerReadsNoSecretOfItsEvaluation(t *testing.T) {
	t.Parallel()
	prefix := withoutTracing()
	if len(prefix) > 0 {
		testclient.Need(t, prefix[0])
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "peek.sh"), []byte(peeking), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(line string) string {
		words := append(append([]string{}, prefix...), "sh", "-c", line)
		cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
		cmd.Dir = folder
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
		return string(out)
	}
	open := run(`secret=secret-secret-secret sh -c 'sh peek.sh </dev/null; true' || true`)
	for _, word := range []string{"opened environ", "opened mem", "opened maps", "secret=secret-secret-secret"} {
		if !strings.Contains(open, word) {
			t.Errorf("below a process that hides nothing a program does not see %q:\n%s", word, open)
		}
	}
	hidden := run(`echo secret-secret-secret-secret-secret-secret |` +
		` secret=secret-secret-secret platen eval --split test --secret-file /dev/stdin` +
		` --seeds 1 --day 1 -- sh peek.sh`)
	if !strings.Contains(hidden, "peeked") {
		t.Fatalf("the program did not run:\n%s", hidden)
	}
	tried := run(`echo secret-secret-secret-secret-secret-secret |` +
		` secret=secret-secret-secret platen tasks run lots --split test --secret-file /dev/stdin` +
		` --worlds 1 -- sh peek.sh`)
	if !strings.Contains(tried, "peeked") {
		t.Fatalf("the program did not run:\n%s", tried)
	}
	for _, word := range []string{"opened ", "secret-secret", "pipe"} {
		if strings.Contains(hidden, word) || strings.Contains(tried, word) {
			t.Errorf("the program sees %q:\n%s\n%s", word, hidden, tried)
		}
	}
}

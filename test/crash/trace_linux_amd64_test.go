package crash

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// traceVariable makes this test binary run a program and kill it at a change of files: it has the number of that
// change, or 0. A process of its own does so, since it waits for all of its children.
const traceVariable = "PLATEN_TEST_KILL_AT"

// changesOfFiles are the system calls that change what a kill leaves.
var changesOfFiles = map[uint64]bool{
	unix.SYS_RENAME: true, unix.SYS_RENAMEAT: true, unix.SYS_RENAMEAT2: true, unix.SYS_LINK: true,
	unix.SYS_LINKAT: true, unix.SYS_UNLINK: true, unix.SYS_UNLINKAT: true, unix.SYS_RMDIR: true, unix.SYS_MKDIR: true,
	unix.SYS_MKDIRAT: true, unix.SYS_FTRUNCATE: true, unix.SYS_FSYNC: true, unix.SYS_FDATASYNC: true,
	unix.SYS_PWRITE64: true,
}

// runTraced runs the program and kills it before its change of files with a number, counted from 1; 0 never kills.
// It returns the number of changes that it saw.
func runTraced(t *testing.T, killAt int, arguments ...string) (changes int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, append([]string{binary}, arguments...)...)
	cmd.Env = append(os.Environ(), traceVariable+"="+strconv.Itoa(killAt))
	said, err := cmd.Output()
	if err != nil {
		if failed, ok := errors.AsType[*exec.ExitError](err); ok && failed.ExitCode() == noTracing {
			t.Skip("SKIPPED: a program cannot be traced here; kills at any time are in the soak")
		}
		t.Fatalf("trace %v: %v\n%s", arguments, err, said)
	}
	if _, err := fmt.Sscan(string(said), &changes); err != nil {
		t.Fatalf("the tracer says %q: %v", said, err)
	}
	return changes
}

// noTracing is the exit status where the system does not let a program be traced.
const noTracing = 77

// traceMain is the tracer.
func traceMain() {
	text, ok := os.LookupEnv(traceVariable)
	if !ok {
		return
	}
	killAt, err := strconv.Atoi(text)
	if err == nil {
		err = trace(killAt, os.Args[1:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// trace runs a program from one system call to the next.
func trace(killAt int, arguments []string) error {
	runtime.LockOSThread() // the kernel knows the tracer by its thread
	cmd := exec.Command(arguments[0], arguments[1:]...)
	cmd.SysProcAttr = &unix.SysProcAttr{Ptrace: true}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		os.Exit(noTracing)
	}
	pid := cmd.Process.Pid
	var status unix.WaitStatus
	if _, err := unix.Wait4(pid, &status, 0, nil); err != nil {
		return err
	}
	if err := unix.PtraceSetOptions(pid, unix.PTRACE_O_TRACESYSGOOD|unix.PTRACE_O_TRACECLONE); err != nil {
		os.Exit(noTracing)
	}
	if err := unix.PtraceSyscall(pid, 0); err != nil {
		return err
	}
	changes, killed := 0, false
	for {
		thread, err := unix.Wait4(-1, &status, unix.WALL, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.ECHILD): // all of it has ended
			fmt.Println(changes)
			return nil
		case err != nil:
			return err
		case thread == pid && status.Exited() && status.ExitStatus() != 0:
			return fmt.Errorf("the program ended with %d", status.ExitStatus())
		}
		if !status.Stopped() {
			continue
		}
		pass := 0
		switch signal := status.StopSignal(); signal {
		case unix.SIGTRAP | 0x80:
			if !killed && entersChange(thread) {
				if changes++; changes == killAt {
					killed = true
					if err := unix.Kill(pid, unix.SIGKILL); err != nil {
						return err
					}
				}
			}
		case unix.SIGTRAP, unix.SIGSTOP: // a thread begins
		default:
			pass = int(signal)
		}
		if err := unix.PtraceSyscall(thread, pass); err != nil && !errors.Is(err, unix.ESRCH) {
			return err
		}
	}
}

// entersChange says that a thread has stopped before a change of files.
func entersChange(thread int) bool {
	var info struct {
		op        uint8
		_         [3]uint8
		arch      uint32
		ip, sp    uint64
		number    uint64
		arguments [6]uint64
		_         [8]uint64
	}
	const entry = 1
	n, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_GET_SYSCALL_INFO, uintptr(thread),
		unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0)
	if errno != 0 || n == 0 || info.op != entry {
		return false
	}
	creates := info.number == unix.SYS_OPENAT && info.arguments[2]&unix.O_CREAT != 0
	return creates || changesOfFiles[info.number]
}

package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// cpuTime returns what this process has used of all processors.
func cpuTime() (time.Duration, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, fmt.Errorf("read own processor time: %w", err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), nil
}

// flush makes what was written to a file durable, as cheaply as can be.
func flush(file *os.File) error {
	if err := syscall.Fdatasync(int(file.Fd())); err != nil {
		return fmt.Errorf("flush: %w", err)
	}
	return nil
}

// residentBytes returns how much of a process is in memory, and how much of
// that is its own rather than pages of its program file.
func residentBytes(pid int) (all, own float64, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0, fmt.Errorf("read memory of a process: %w", err)
	}
	member := func(name string) float64 {
		_, rest, _ := bytes.Cut(status, []byte("\n"+name+":"))
		fields := bytes.Fields(rest)
		if len(fields) == 0 {
			return 0
		}
		n, _ := strconv.ParseFloat(string(fields[0]), 64)
		return n * 1024
	}
	return member("VmRSS"), member("RssAnon"), nil
}

// machine says what is measured on, and how busy it is before.
func machine() string {
	load, _ := os.ReadFile("/proc/loadavg")
	now, _, _ := strings.Cut(string(load), " ")
	return fmt.Sprintf("%s/%s, %s, %d processors, load average before %s",
		runtime.GOOS, runtime.GOARCH, runtime.Version(), runtime.NumCPU(), now)
}

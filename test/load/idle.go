package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// idleTime is how long a server has been there when its memory is read.
const idleTime = 2 * time.Second

// measureIdle builds cmd/platen as it is shipped and reads the memory of
// servers that have served no request.
func measureIdle(ctx context.Context, b *bench) ([]figure, error) {
	program := filepath.Join(b.dir, "platen")
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "platen/cmd/platen")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build cmd/platen: %w\n%s", err, out)
	}
	resident, own := make([]float64, rounds), make([]float64, rounds)
	ends := make(chan error, rounds)
	for i := range rounds {
		go func() {
			var err error
			resident[i], own[i], err = idleMemory(ctx, program, filepath.Join(b.dir, fmt.Sprint("idle-", i, ".db")))
			ends <- err
		}()
	}
	var err error
	for range rounds {
		err = errors.Join(err, <-ends)
	}
	if err != nil {
		return nil, err
	}
	return []figure{{
		name: "memory of an idle server", samples: resident, unit: megabytes, least: 28e6, aim: 25e6, smaller: true,
		note: fmt.Sprintf("VmRSS of platen serve after %s; %s of it its own, the rest pages of the program file",
			idleTime, megabytes(median(own))),
	}}, nil
}

func idleMemory(ctx context.Context, program, database string) (resident, own float64, err error) {
	cmd := exec.CommandContext(ctx, program, "serve", "--listen", "127.0.0.1:0", "--database", database)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return 0, 0, fmt.Errorf("start platen: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return 0, 0, fmt.Errorf("start platen: %w", err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed, and says so
	}()
	lines := bufio.NewScanner(stderr)
	for ready := false; !ready; {
		if !lines.Scan() {
			return 0, 0, errors.New("platen serve ended before it served")
		}
		ready = strings.Contains(lines.Text(), "Platen is running")
	}
	go func() { _, _ = io.Copy(io.Discard, stderr) }() // ends with the process
	select {
	case <-ctx.Done():
		return 0, 0, ctx.Err() //nolint:wrapcheck // ends the program
	case <-time.After(idleTime):
	}
	return residentBytes(cmd.Process.Pid)
}

package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"platen/internal/store"
	"platen/internal/store/storetest"
)

// BenchmarkCommit counts durable commits of 1 KB beside the least that could
// be done for them: appending the bodies to a file and one fdatasync for all
// that wait.
func BenchmarkCommit(b *testing.B) {
	for _, committers := range []int{1, 16, 256} {
		b.Run(fmt.Sprint("committers=", committers), func(b *testing.B) {
			s := openStore(b, filepath.Join(b.TempDir(), "platen.db"))
			defer s.Close()
			for i := range committers {
				id := fmt.Sprint("s", i)
				c := store.Commit{SandboxID: id, Version: 1, Header: &store.Sandbox{ID: id}}
				if err := s.Commit(b.Context(), c); err != nil {
					b.Fatal(err)
				}
			}
			body := make([]byte, 1024)
			ours := storetest.PerSecond(b, committers, func(i, n int) error {
				return s.Commit(b.Context(), store.Commit{
					SandboxID: fmt.Sprint("s", i), Version: uint64(n + 2), Body: body,
				})
			})
			file := openAppender(b)
			defer file.close()
			raw := storetest.PerSecond(b, committers, func(int, int) error { return file.append(body) })
			b.ReportMetric(ours, "commits/s")
			b.ReportMetric(raw, "appends/s")
			b.ReportMetric(ours/raw, "ratio")
		})
	}
}

// An appender is a file with group commit and nothing else.
type appender struct {
	file  *os.File
	queue chan appendRequest
	ended chan struct{}
}

type appendRequest struct {
	body   []byte
	answer chan error
}

func openAppender(b *testing.B) *appender {
	file, err := os.Create(filepath.Join(b.TempDir(), "raw"))
	if err != nil {
		b.Fatal(err)
	}
	a := &appender{file, make(chan appendRequest, 1024), make(chan struct{})}
	go a.run()
	return a
}

func (a *appender) append(body []byte) error {
	r := appendRequest{body, make(chan error, 1)}
	a.queue <- r
	return <-r.answer
}

func (a *appender) run() {
	defer close(a.ended)
	var buffer []byte
	var group []appendRequest
	for first := range a.queue {
		group = append(group[:0], first)
		for len(group) < 256 && len(a.queue) > 0 {
			group = append(group, <-a.queue)
		}
		buffer = buffer[:0]
		for _, r := range group {
			buffer = append(buffer, r.body...)
		}
		_, err := a.file.Write(buffer)
		if err == nil {
			err = unix.Fdatasync(int(a.file.Fd()))
		}
		for _, r := range group {
			r.answer <- err
		}
	}
}

func (a *appender) close() {
	close(a.queue)
	<-a.ended
	a.file.Close()
}

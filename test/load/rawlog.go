package main

import (
	"errors"
	"fmt"
	"os"
)

// rawLogBytes is the length of a settled log, after which it begins again at its
// start.
const rawLogBytes = 16 << 20

// A rawLog is group commit and nothing else: it appends what waits to a file
// and flushes once for all of it. A settled log has its whole length from the
// beginning and goes around, so that a flush has only what was written to write
// and no new length of the file: the fastest honest log there is. One that is
// not settled grows, which costs a flush two writes.
type rawLog struct {
	file    *os.File
	settled bool
	at      int64
	queue   chan rawAppend
	ended   chan struct{}
}

type rawAppend struct {
	body   []byte
	answer chan error
}

func openRawLog(path string, settled bool) (*rawLog, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("make raw log: %w", err)
	}
	if settled {
		err = settle(file)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make raw log: %w", err), file.Close())
	}
	l := &rawLog{file: file, settled: settled, queue: make(chan rawAppend, 4*maxGroup), ended: make(chan struct{})}
	go l.run()
	return l, nil
}

// settle gives a file its whole length, in blocks that have been written.
func settle(file *os.File) error {
	const chunk = 1 << 20
	zeros := make([]byte, chunk)
	for range rawLogBytes / chunk {
		if _, err := file.Write(zeros); err != nil {
			return fmt.Errorf("fill: %w", err)
		}
	}
	if err := file.Sync(); err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	return nil
}

func (l *rawLog) append(body []byte) error {
	r := rawAppend{body, make(chan error, 1)}
	l.queue <- r
	return <-r.answer
}

func (l *rawLog) run() {
	defer close(l.ended)
	var buffer []byte
	var group []rawAppend
	for first := range l.queue {
		group = append(group[:0], first)
		for len(group) < maxGroup && len(l.queue) > 0 {
			group = append(group, <-l.queue)
		}
		buffer = buffer[:0]
		for _, r := range group {
			buffer = append(buffer, r.body...)
		}
		err := l.write(buffer)
		for _, r := range group {
			r.answer <- err
		}
	}
}

func (l *rawLog) write(b []byte) error {
	if l.settled && l.at+int64(len(b)) > rawLogBytes {
		l.at = 0
	}
	if _, err := l.file.WriteAt(b, l.at); err != nil {
		return fmt.Errorf("append: %w", err)
	}
	l.at += int64(len(b))
	return flush(l.file)
}

// close ends the log. It must not be called during an append.
func (l *rawLog) close() error {
	close(l.queue)
	<-l.ended
	return l.file.Close() //nolint:wrapcheck // ends the child
}

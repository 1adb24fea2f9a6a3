package load

import (
	"errors"
	"os"
)

const (
	// rawLogBytes is the length of a raw log, after which it begins again at its start.
	rawLogBytes = 16 << 20
	// maxGroup is how many commits one flush may carry, as in the store.
	maxGroup = 256
)

// A rawLog is group commit and nothing else: it appends the bodies that wait to a file, in one durable write. The
// file has its whole length from the beginning, so that a write changes no length: the fastest honest log there is.
type rawLog struct {
	file  *os.File
	queue chan rawAppend
}

type rawAppend struct {
	body   []byte
	answer chan error
}

func openRawLog(path string) (*rawLog, error) {
	if err := os.WriteFile(path, make([]byte, rawLogBytes), 0o600); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|durable, 0)
	if err != nil {
		return nil, err
	}
	if err := file.Sync(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	l := &rawLog{file, make(chan rawAppend, 4*maxGroup)}
	go l.run()
	return l, nil
}

// append returns when the body is on the disk.
func (l *rawLog) append(body []byte) error {
	r := rawAppend{body, make(chan error, 1)}
	l.queue <- r
	return <-r.answer
}

// close ends the log. No append may be under way.
func (l *rawLog) close() { close(l.queue) }

func (l *rawLog) run() {
	defer l.file.Close()
	var buffer []byte
	var group []rawAppend
	at := 0
	for first := range l.queue {
		group, buffer = append(group[:0], first), append(buffer[:0], first.body...)
		for len(group) < maxGroup && len(l.queue) > 0 {
			next := <-l.queue
			group, buffer = append(group, next), append(buffer, next.body...)
		}
		if at+len(buffer) > rawLogBytes {
			at = 0
		}
		_, err := l.file.WriteAt(buffer, int64(at))
		at += len(buffer)
		for _, r := range group {
			r.answer <- err
		}
	}
}

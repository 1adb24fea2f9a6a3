// Package sandboxfile is the file of one sandbox: its commits as they are stored, with a head that says what they are
// and a sum of everything at the end. The file has no key of the sandbox and no header of the store.
//
//	magic   "platen sandbox 1\n"
//	head    length  JSON
//	commit  length  body     as often as the head says
//	sum     SHA-256 of all bytes before it
//
// A length is an unsigned varint.
package sandboxfile

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"

	"platen/internal/store"
	"platen/internal/words/moment"
)

const (
	// name begins every file, magic a file of the format that this program writes and reads.
	name  = "platen sandbox "
	magic = name + "1\n"
	// maxHead is the largest head, in bytes.
	maxHead = 1 << 16
)

var (
	// ErrOther is the error of something else than a file of a sandbox.
	ErrOther = errors.New("this is not a file from platen export")
	// ErrFormat is the error of a file that a newer program wrote.
	ErrFormat = errors.New("this file has a format that this version of Platen does not know")
	// ErrDamaged is the error of a file that is not what was written, or not all of it.
	ErrDamaged = errors.New("the file is damaged or not complete")
)

// Head says what is in a file.
type Head struct {
	// SandboxID is that of the sandbox that was exported, at ExportedAt.
	SandboxID  string         `json:"sandbox_id"`
	ExportedAt moment.Instant `json:"exported_at"`
	// Engine is the version of the simulation that began it: no other can go on with it.
	Engine int `json:"engine_version"`
	// Preset, SimDate and LastSeq tell people where the company is.
	Preset  string      `json:"preset"`
	SimDate moment.Date `json:"sim_date"`
	LastSeq uint64      `json:"last_seq"`
	// Evaluation is set for a sandbox in which players are compared.
	Evaluation bool `json:"evaluation"`
	// Commits is the number of commits, StateHash that of the company after the last one.
	Commits   uint64 `json:"commits"`
	StateHash string `json:"state_hash"`
}

// Writer writes a file.
type Writer struct {
	to  io.Writer
	sum hash.Hash
}

// NewWriter writes the head.
func NewWriter(to io.Writer, head *Head) (*Writer, error) {
	w := &Writer{sum: sha256.New()}
	w.to = io.MultiWriter(w.sum, to)
	text, err := json.Marshal(head)
	if err != nil {
		return nil, fmt.Errorf("write the head: %w", err)
	}
	if _, err := io.WriteString(w.to, magic); err != nil {
		return nil, err //nolint:wrapcheck // the writer's own
	}
	return w, w.part(text)
}

// Commit writes the next commit.
func (w *Writer) Commit(body []byte) error { return w.part(body) }

// Close writes the sum. It does not close the writer beneath.
func (w *Writer) Close() error {
	_, err := w.to.Write(w.sum.Sum(nil))
	return err //nolint:wrapcheck // the writer's own
}

func (w *Writer) part(b []byte) error {
	_, err := w.to.Write(append(binary.AppendUvarint(nil, uint64(len(b))), b...))
	return err //nolint:wrapcheck // the writer's own
}

// Reader reads a file. Its Head is read already.
type Reader struct {
	Head Head

	from *bufio.Reader
	sum  hash.Hash
	read uint64
}

// NewReader reads the head. Errors wrap ErrOther, ErrFormat or ErrDamaged, or are the reader's own.
func NewReader(from io.Reader) (*Reader, error) {
	r := &Reader{from: bufio.NewReader(from), sum: sha256.New()}
	begin := make([]byte, len(magic))
	switch n, err := io.ReadFull(r.from, begin); {
	case !bytes.HasPrefix(begin[:n], []byte(name)):
		return nil, ErrOther
	case err != nil:
		return nil, damaged(err)
	case string(begin) != magic:
		return nil, ErrFormat
	}
	r.sum.Write(begin)
	text, err := r.part(maxHead)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &r.Head); err != nil {
		return nil, fmt.Errorf("%w: its head: %w", ErrDamaged, err)
	}
	return r, nil
}

// Next returns the next commit, and io.EOF after the last one, when the sum is right and nothing follows it.
func (r *Reader) Next() ([]byte, error) {
	if r.read < r.Head.Commits {
		r.read++
		return r.part(store.MaxBody)
	}
	want := r.sum.Sum(nil)
	sum, err := io.ReadAll(io.LimitReader(r.from, int64(len(want))+1))
	if err != nil {
		return nil, damaged(err)
	}
	if !bytes.Equal(sum, want) {
		return nil, fmt.Errorf("%w: its checksum is not that of its content", ErrDamaged)
	}
	return nil, io.EOF
}

// part reads a part of at most so many bytes.
func (r *Reader) part(most uint64) ([]byte, error) {
	length, err := binary.ReadUvarint(r.from)
	if err != nil {
		return nil, damaged(err)
	}
	if length > most {
		return nil, fmt.Errorf("%w: a part of %d bytes", ErrDamaged, length)
	}
	r.sum.Write(binary.AppendUvarint(nil, length))
	var b bytes.Buffer // grows with what is there, whatever the length says
	if _, err := io.CopyN(io.MultiWriter(r.sum, &b), r.from, int64(length)); err != nil {
		return nil, damaged(err)
	}
	return b.Bytes(), nil
}

// damaged is the error of a file that ends early, or that of its reader.
func damaged(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: it ends early", ErrDamaged)
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

package sandboxfile_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"platen/internal/sandbox/sandboxfile"
)

// written is a file with some commits.
func written(t testing.TB, commits ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := sandboxfile.NewWriter(&b, &sandboxfile.Head{
		SandboxID: "sbx_1", Preset: "starter", Commits: uint64(len(commits)), StateHash: "ab",
	})
	for _, c := range commits {
		if err == nil {
			err = w.Commit([]byte(c))
		}
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// read reads a file whole.
func read(file []byte) (head sandboxfile.Head, commits []string, err error) {
	r, err := sandboxfile.NewReader(bytes.NewReader(file))
	if err != nil {
		return head, nil, err
	}
	for {
		body, err := r.Next()
		if errors.Is(err, io.EOF) {
			return r.Head, commits, nil
		}
		if err != nil {
			return r.Head, commits, err
		}
		commits = append(commits, string(body))
	}
}

func TestAFileIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	long := string(bytes.Repeat([]byte("x"), 300_000))
	head, commits, err := read(written(t, "one", "", long))
	if err != nil || head.SandboxID != "sbx_1" || head.StateHash != "ab" || len(commits) != 3 ||
		commits[0] != "one" || commits[1] != "" || commits[2] != long {
		t.Errorf("read %+v with %d commits, %v", head, len(commits), err)
	}
	if _, commits, err := read(written(t)); err != nil || len(commits) > 0 {
		t.Errorf("a file without commits: %q, %v", commits, err)
	}
}

// TestNoByteChangesUnnoticed, none is missing, and none comes after the end.
func TestNoByteChangesUnnoticed(t *testing.T) {
	t.Parallel()
	file := written(t, "one", "two")
	for i := range file {
		if _, _, err := read(file[:i]); err == nil {
			t.Errorf("the first %d of %d bytes are a file", i, len(file))
		}
		for _, bit := range []byte{1, 0x80} {
			changed := bytes.Clone(file)
			changed[i] ^= bit
			if _, _, err := read(changed); err == nil {
				t.Errorf("byte %d may be another", i)
			}
		}
	}
	if _, _, err := read(append(file, 0)); !errors.Is(err, sandboxfile.ErrDamaged) {
		t.Errorf("with a byte more there is %v", err)
	}
}

func TestErrorsTellWhichFileItIs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]error{
		"":                        sandboxfile.ErrOther,
		"{}":                      sandboxfile.ErrOther,
		"SQLite format 3\x00 ...": sandboxfile.ErrOther,
		"platen sandbox ":         sandboxfile.ErrDamaged,
		"platen sandbox 2\n":      sandboxfile.ErrFormat,
		"platen sandbox 1\n":      sandboxfile.ErrDamaged,
		"platen sandbox 1\n\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01": sandboxfile.ErrDamaged,
		"platen sandbox 1\n\xff\xff\xff\x7fshort":                        sandboxfile.ErrDamaged,
		"platen sandbox 1\n\x02[]":                                       sandboxfile.ErrDamaged,
	} {
		if _, _, err := read([]byte(text)); !errors.Is(err, want) {
			t.Errorf("%q gives %v, want %v", text, err, want)
		}
	}
}

// FuzzReader: whatever a file holds, what is read of it and written again is that file.
func FuzzReader(f *testing.F) {
	f.Add(written(f, "one", "two"))
	f.Add([]byte("platen sandbox 1\n\x02{}"))
	f.Fuzz(func(t *testing.T, file []byte) {
		_, commits, err := read(file)
		if err != nil {
			return
		}
		size := 0
		for _, c := range commits {
			size += len(c)
		}
		if size >= len(file) {
			t.Errorf("%d bytes of commits come of %d", size, len(file))
		}
	})
}

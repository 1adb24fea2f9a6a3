package commitlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/s2"

	"platen/internal/company"
	"platen/internal/company/preset"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/store"
)

// bytesPerByte is how much memory a byte of a slab may cost at most, slack is
// the memory that a reader and the fuzzer use besides.
const (
	bytesPerByte = 256
	slack        = 16 << 20
)

// someCommit has a reply and is long enough to be compressed.
func someCommit() Commit {
	return Commit{
		Changes: record.Changes{
			Rows: []record.TableRows{{Table: "sales_order", Entries: []*record.Entry{
				(&record.Entry{ID: "so_1"}).Holding(bytes.Repeat([]byte(`{"id":"so_1"}`), 60), []byte("{}"))}}},
			State: []byte("{}"),
			Events: []record.Event{{Sequence: 7, ID: "evt_1", Type: "office.sales_order.received", CreatedAt: 5,
				Body: []byte(`{"id":"evt_1"}`)}},
		},
		Reply: &Reply{Key: ReplyKey{1}, Fingerprint: Fingerprint{2}, Status: 201, Body: []byte(`{"data":{}}`)},
	}
}

// bounded runs a reader of a body and fails when it allocates out of
// proportion to what the body unpacks to.
func bounded(t *testing.T, body []byte, read func()) {
	t.Helper()
	size := len(body)
	for _, k := range []kind{ofCommit, ofSnapshot} {
		if u, err := unpack(body, k, 1); err == nil {
			size += len(u.payload)
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	read()
	runtime.ReadMemStats(&after)
	if used, most := after.TotalAlloc-before.TotalAlloc, uint64(slack+bytesPerByte*size); used > most {
		t.Errorf("%d bytes were allocated for a body of %d, the most is %d", used, len(body), most)
	}
}

// hostile are bodies that are none: of other formats, cut, and of a few bytes
// that claim to unpack to 4 GiB. Most have a sum that fits, or none
// would be read any further.
func hostile(body []byte, k kind) [][]byte {
	claims := func(flag byte, payload ...byte) []byte {
		b := append(make([]byte, payloadAt), payload...)
		b[0], b[flagAt] = body[0], flag
		return sealed(b, k)
	}
	return [][]byte{
		nil, {commitFormat}, {commitFormat, flagPlain}, claims(flagCompressed+1, 0), sealed(body[:len(body)-1], k),
		body[:len(body)-1], append([]byte{body[0] + 1}, body[1:]...),
		claims(flagCompressed, 0xff, 0xff, 0xff, 0xff, 0x0f, 0), claims(flagPlain, 0xff, 0xff, 0xff, 0xff, 0x0f, 0),
	}
}

// sealed is a body with a sum that fits, unless it is too short to have one.
func sealed(body []byte, k kind) []byte {
	if len(body) < payloadAt {
		return body
	}
	body = bytes.Clone(body)
	seal(body, k, 1, 0)
	return body
}

// plain is the body of a payload that is not compressed, so that what is changed in it is still one.
func plain(format byte, payload []byte, k kind) []byte {
	body := append(make([]byte, payloadAt), payload...)
	body[0], body[flagAt] = format, flagPlain
	return sealed(body, k)
}

// encoded is the body of a first commit.
func encoded(c *Commit) []byte {
	body, _ := c.Encode(1, 0)
	return body
}

// FuzzDecodeCommit: whatever a store gives back is read as a commit that is
// written as the same one, or is refused, within memory in proportion.
func FuzzDecodeCommit(f *testing.F) {
	whole := someCommit()
	f.Add(encoded(&whole))
	f.Add(encoded(&Commit{}))
	f.Add(encoded(&Commit{Reply: &Reply{Status: -1}}))
	f.Add(plain(commitFormat, append(record.AppendChanges(nil, &whole.Changes), 0), ofCommit))
	for _, body := range hostile(encoded(&whole), ofCommit) {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		body = sealed(body, ofCommit)
		bounded(t, body, func() {
			read, err := DecodeCommit(body, 1)
			if err != nil {
				return
			}
			again, err := DecodeCommit(encoded(&read), 1)
			read.Sum, read.Previous, again.Sum = 0, 0, 0
			if err != nil || !cmp.Equal(read, again) {
				t.Errorf("%x is read as %+v, and that as %+v, %v", body, read, again, err)
			}
		})
	})
}

// aCompany is the image of a small one that has just opened.
func aCompany(t testing.TB) record.Image {
	t.Helper()
	presets, err := preset.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	c := company.New(company.Settings{
		SandboxID: "sbx_1", Preset: presets["empty"], Bridge: preset.Auto, Seed: 1, UID: 1,
	}, sim.Manual, 0)
	c.Flush(1)
	return c.Image()
}

// FuzzDecodeSnapshot is FuzzDecodeCommit for snapshots. A company is made of
// what was read, or is refused: a store that mixes things up must not take the
// server along.
func FuzzDecodeSnapshot(f *testing.F) {
	c := someCommit()
	whole := Snapshot{Image: record.Image{Tables: c.Rows, Timers: c.Set, State: c.State}}
	whole.Index.Add(1, &c)
	f.Add(whole.Encode(1))
	f.Add((&Snapshot{}).Encode(1))
	opened := aCompany(f)
	begun := Snapshot{Image: opened}
	f.Add(begun.Encode(1))
	f.Add(plain(snapshotFormat, begun.Index.append(record.AppendImage(nil, &begun.Image)), ofSnapshot))
	for _, body := range hostile(whole.Encode(1), ofSnapshot) {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		body = sealed(body, ofSnapshot)
		bounded(t, body, func() {
			read, err := DecodeSnapshot(body, 1)
			if err != nil {
				return
			}
			again, err := DecodeSnapshot(read.Encode(1), 1)
			read.Last = again.Last
			if err != nil || !cmp.Equal(read, again, cmp.AllowUnexported(Index{}, Span{}), cmpopts.EquateEmpty()) {
				t.Errorf("%x is read as %+v, and that as %+v, %v", body, read, again, err)
			}
		})
		if read, err := DecodeSnapshot(body, 1); err == nil {
			_, _ = company.Load(read.Image, company.Engine) // it refuses, or it does not panic
		}
	})
}

// TestABodyOfOneLetterSurvivesStorage: what compresses beyond all measure is
// stored as it is.
func TestABodyOfOneLetterSurvivesStorage(t *testing.T) {
	t.Parallel()
	want := Commit{Reply: &Reply{Status: 200, Body: bytes.Repeat([]byte("a"), 4<<20)}}
	got, err := DecodeCommit(encoded(&want), 1)
	if err != nil || got.Reply == nil || !bytes.Equal(got.Reply.Body, want.Reply.Body) {
		t.Errorf("it is read as %d bytes, %v", len(encoded(&want)), err)
	}
}

// TestABodyThatClaimsTooMuchIsRefused before memory is taken for it.
//
//nolint:paralleltest // it measures the allocations of the process
func TestABodyThatClaimsTooMuchIsRefused(t *testing.T) {
	body := binary.AppendUvarint(make([]byte, payloadAt), 1<<32-1)
	body[0], body[flagAt] = commitFormat, flagCompressed
	body = sealed(body, ofCommit)
	if n, err := s2.DecodedLen(body[payloadAt:]); err != nil || n != 1<<32-1 {
		t.Fatalf("the body claims %d, %v", n, err)
	}
	bounded(t, body, func() {
		if _, err := DecodeCommit(body, 1); err == nil {
			t.Error("it is read")
		}
	})
}

// TestABodyIsTakenForNoOther: neither with a bit changed, nor as a commit of
// another version or after another commit, nor as a snapshot.
func TestABodyIsTakenForNoOther(t *testing.T) {
	t.Parallel()
	c := someCommit()
	body, sum := c.Encode(7, 99)
	if read, err := DecodeCommit(body, 7); err != nil || read.Sum != sum || read.Previous != 99 {
		t.Fatalf("it is read with %d after %d, %v", read.Sum, read.Previous, err)
	}
	for at := range body {
		for bit := range 8 {
			changed := bytes.Clone(body)
			changed[at] ^= 1 << bit
			if _, err := DecodeCommit(changed, 7); !errors.Is(err, ErrDamaged) {
				t.Fatalf("with bit %d of byte %d changed: %v", bit, at, err)
			}
		}
	}
	if _, err := DecodeCommit(body, 8); !errors.Is(err, ErrDamaged) {
		t.Errorf("as another version: %v", err)
	}
	if _, err := DecodeSnapshot(body, 7); !errors.Is(err, ErrDamaged) {
		t.Errorf("as a snapshot: %v", err)
	}
	stored := []store.Commit{{Version: 7, Body: body}}
	if _, err := DecodeCommits(stored, 6, 99); err != nil {
		t.Errorf("after its own: %v", err)
	}
	if _, err := DecodeCommits(stored, 6, 98); !errors.Is(err, ErrDamaged) {
		t.Errorf("after another commit: %v", err)
	}
	if _, err := DecodeCommits(stored, 5, 0); !errors.Is(err, ErrDamaged) {
		t.Errorf("with one missing before it: %v", err)
	}
}

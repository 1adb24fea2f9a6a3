package crash

import (
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	_ "modernc.org/sqlite" // to look into a database from outside

	"platen/test/testclient"
)

const (
	// Points are how often servers are killed under concurrent writes; kills
	// around a start come on top. PLATEN_CRASH_POINTS asks for another number.
	pointsFew = 6
	pointsAll = 200
	// maxLanes is how many databases, each with its servers one after another,
	// are worked on at once: more than processors, since they wait for disks.
	maxLanes = 4
	// writersEach is how many clients write to one sandbox at once.
	writersEach = 3
	// maxAcknowledged bounds how many writes succeed before a kill.
	maxAcknowledged = 40
	// tenantRounds is how many kills a sandbox lives through: enough for a
	// snapshot, and not so many that its work is all done.
	tenantRounds = 12
	// fullRounds is how often everything is checked, not only what is new.
	fullRounds = 6
	// writeTimeout ends a round in which the writers get nowhere.
	writeTimeout = 60 * time.Second
)

func points(t *testing.T) int {
	t.Helper()
	if text := os.Getenv("PLATEN_CRASH_POINTS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			t.Fatalf("PLATEN_CRASH_POINTS is %q", text)
		}
		return n
	}
	return testclient.Few(pointsFew, pointsAll)
}

func TestNothingAcknowledgedIsLostOrDoubledWhenTheServerIsKilled(t *testing.T) {
	t.Parallel()
	total := points(t)
	lanes := make([]*lane, min(maxLanes, (total+2)/3))
	for i := range lanes {
		lanes[i] = &lane{database: filepath.Join(t.TempDir(), "platen.db"), file: true}
	}
	killAll(t, total, lanes)
}

// killAll kills the servers of some lanes so many times.
func killAll(t *testing.T, total int, lanes []*lane) {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	began := time.Now()
	errs := make([]error, len(lanes))
	var running sync.WaitGroup
	for i, l := range lanes {
		l.number, l.rounds, l.random = i, total/len(lanes), rand.New(rand.NewPCG(seed, uint64(i)))
		if i < total%len(lanes) {
			l.rounds++
		}
		running.Go(func() { errs[i] = l.run() })
	}
	running.Wait()
	var sum lane
	for i, l := range lanes {
		if errs[i] != nil {
			t.Errorf("lane %d, round %d: %v", i, l.round, errs[i])
		}
		sum.kills += l.kills
		sum.stops += l.stops
		sum.starts += l.starts
		sum.acknowledged += l.acknowledged
		sum.created += l.created
		sum.swept += l.swept
		sum.tally.add(l.tally)
	}
	t.Logf("%d kill points under concurrent writes (%d of them while stopping) and %d within 0.4 s of a start, "+
		"in %.1f s", sum.kills, sum.stops, sum.starts, time.Since(began).Seconds())
	t.Logf("%d writes acknowledged and all there, %d replays the same to the byte; of those never answered %d had "+
		"happened, %d had not and happened at the retry, %d were refused at the retry",
		sum.acknowledged, sum.tally.replays, sum.tally.happened, sum.tally.repeated, sum.tally.refusals)
	t.Logf("%d events compared, %d sandboxes created, %d short-lived ones swept",
		sum.tally.events, sum.created, sum.swept)
	if !t.Failed() && sum.kills != total {
		t.Errorf("%d kill points, want %d", sum.kills, total)
	}
}

// lane is one database and the servers that are killed over it.
type lane struct {
	number, rounds, round int
	random                *rand.Rand
	database              string
	// settings are those of its servers, file is set for a database that the test can look into.
	settings []string
	file     bool

	tenants []*tenant
	// kept are keys of further sandboxes, doomed those of sandboxes with a
	// lease that is over in a moment.
	kept   []string
	doomed []*doomed

	kills, stops, starts         int
	acknowledged, created, swept int
	tally                        tally
}

// doomed is a sandbox that is to be deleted by a server some time.
type doomed struct {
	key     string
	deleted bool
}

// run kills servers in all rounds, and looks at everything once more at the end.
func (l *lane) run() error {
	for l.round = range l.rounds {
		if err := l.killStarts(); err != nil {
			return err
		}
		short := l.round%3 == 2
		p, err := launch(l.database, l.lease(short)...)
		if err != nil {
			return err
		}
		if err := l.play(p, short); err != nil {
			p.kill()
			return err
		}
	}
	p, err := launch(l.database, l.settings...)
	if err != nil {
		return err
	}
	if err := l.finish(p); err != nil {
		p.kill()
		return err
	}
	if err := errors.Join(p.stop(), p.complaints()); err != nil {
		return err
	}
	if !l.file {
		return nil
	}
	if p, err = launch(l.database, l.settings...); err != nil {
		return err
	}
	// All short leases are over now, so this start sweeps whatever the killed
	// ones left.
	err = swept(l.database)
	return errors.Join(err, p.stop(), p.complaints(), inspect(l.database))
}

// lease is that of the sandboxes created in a round: those of a short one are
// swept when the next server starts.
func (l *lane) lease(short bool) []string {
	if short {
		return append([]string{"--sandbox-duration", "1s", "--grace", "0s"}, l.settings...)
	}
	return l.settings
}

// killStarts kills none to two servers somewhere in their start: while the
// database is opened, the log folded in, expired sandboxes swept.
func (l *lane) killStarts() error {
	for range l.random.IntN(3) {
		p, err := begin(l.database, l.settings...)
		if err != nil {
			return err
		}
		moment := time.Duration(l.random.IntN(400)) * time.Millisecond
		select {
		case <-p.ended:
			return fmt.Errorf("a starting server ended by itself:\n%s", p.log)
		case <-time.After(moment): // the moment of the kill, not a wait for anything
		}
		p.kill()
		l.starts++
	}
	return nil
}

// play checks what the last kill left, and then kills this server too.
func (l *lane) play(p *process, short bool) error {
	if err := l.check(p, l.round%fullRounds == fullRounds-1); err != nil {
		return err
	}
	if l.round%tenantRounds == 0 && !short {
		if err := l.renew(p); err != nil {
			return err
		}
	}
	return errors.Join(l.write(p, short), p.complaints())
}

// renew puts new sandboxes in the place of the old ones: one of each preset, one moved by
// the wall clock and one by ticks, and one with injected faults.
func (l *lane) renew(p *process) error {
	if err := l.checkTenants(p, true); err != nil {
		return err
	}
	l.tenants = l.tenants[:0]
	for _, kind := range [][2]string{{"starter", "realtime"}, {"manual", "manual"}} {
		n, err := newTenant(p, kind[0], kind[1])
		if err != nil {
			return err
		}
		l.tenants = append(l.tenants, n)
		l.created++
	}
	n, err := newDisturbed(p, l.random.Uint64())
	if err != nil {
		return err
	}
	l.tenants = append(l.tenants, n)
	l.created++
	return nil
}

// write lets clients loose, and kills the server when a random number of
// writes has been acknowledged, with others under way.
func (l *lane) write(p *process, short bool) error {
	left := &atomic.Int64{}
	left.Store(int64(1 + l.random.IntN(maxAcknowledged)))
	enough := make(chan struct{})
	var total atomic.Int64
	success := func() {
		total.Add(1)
		if left.Add(-1) == 0 {
			close(enough)
		}
	}
	var clients sync.WaitGroup
	errs := make(chan error, len(l.tenants)*(writersEach+1)+1)
	for i, n := range l.tenants {
		for w := range writersEach {
			client := &writer{
				tenant: n, name: fmt.Sprintf("r%d-t%d-w%d", l.round, i, w), ticks: n.clock == "manual" && w == 0,
				random: rand.New(rand.NewPCG(l.random.Uint64(), 0)), acknowledged: success,
			}
			clients.Go(func() { errs <- client.work(p) })
		}
		clients.Go(func() { errs <- n.readOn(p) })
	}
	var keys []string
	clients.Go(func() {
		var err error
		keys, err = createOn(p, 3)
		errs <- err
	})
	late := l.end(p, enough)
	clients.Wait()
	close(errs)
	for err := range errs {
		late = errors.Join(late, err)
	}
	l.kills++
	l.acknowledged += int(total.Load())
	l.noteCreated(keys, short)
	return late
}

// end waits for enough writes and kills the server, in each eighth round after
// it was told to stop.
func (l *lane) end(p *process, enough <-chan struct{}) error {
	var late error
	select {
	case <-enough:
	case <-time.After(writeTimeout):
		late = fmt.Errorf("the writers got nowhere:\n%s", p.log)
	}
	// Some work first, so that the kill does not always meet the moment after
	// an acknowledgement.
	for range l.random.IntN(20_000) {
		sha256.Sum256([]byte{1})
	}
	if l.random.IntN(8) == 0 {
		p.dying.Store(true)
		p.cmd.Process.Signal(syscall.SIGTERM)
		l.stops++
		for range l.random.IntN(100_000) {
			sha256.Sum256([]byte{1})
		}
	}
	p.kill()
	return late
}

// noteCreated remembers the sandboxes whose creation was acknowledged.
func (l *lane) noteCreated(keys []string, short bool) {
	l.created += len(keys)
	for _, key := range keys {
		if short {
			l.doomed = append(l.doomed, &doomed{key: key})
			continue
		}
		l.kept = append(l.kept, key)
	}
}

// check looks at everything that the servers before this one acknowledged.
func (l *lane) check(p *process, full bool) error {
	if err := l.checkTenants(p, full); err != nil {
		return err
	}
	for i, key := range l.kept {
		if !full && i < len(l.kept)-3 {
			continue // looked at after earlier kills
		}
		n := &tenant{Office: key}
		if err := n.follow(p, 0); err != nil {
			return fmt.Errorf("a sandbox whose creation was acknowledged: %w", err)
		}
		if n.newest() == 0 {
			return errors.New("a sandbox whose creation was acknowledged has no opening events")
		}
	}
	for _, d := range l.doomed {
		if err := l.look(p, d); err != nil {
			return err
		}
	}
	return nil
}

func (l *lane) checkTenants(p *process, full bool) error {
	for _, n := range l.tenants {
		y, err := n.check(p, l.random, full)
		if err != nil {
			return fmt.Errorf("sandbox %s (%s, %s): %w", n.ID, n.preset, n.clock, err)
		}
		l.tally.add(y)
	}
	return nil
}

// look reads a sandbox with a short lease: it is there, or it is deleted, and
// then for good.
func (l *lane) look(p *process, d *doomed) error {
	a, err := p.send(request{method: http.MethodGet, path: "/sandbox", key: d.key})
	if err != nil {
		return err
	}
	switch {
	case a.Status == http.StatusOK && !d.deleted:
	case a.Status == http.StatusUnauthorized:
		d.deleted = true
	default:
		return fmt.Errorf("a sandbox past its lease, deleted %t, answers %d %s", d.deleted, a.Status, a.Raw)
	}
	return nil
}

// finish checks everything in full, and waits until all short leases are over.
func (l *lane) finish(p *process) error {
	if err := l.check(p, true); err != nil {
		return err
	}
	deadline := time.Now().Add(startTimeout)
	for _, d := range l.doomed {
		for !d.deleted {
			if err := l.look(p, d); err != nil {
				return err
			}
			if time.Now().After(deadline) {
				return errors.New("a sandbox past its lease is still there")
			}
		}
		l.swept++
	}
	return nil
}

// swept waits until nothing of a sandbox past its lease is left in a database
// that a server has open.
func swept(path string) error {
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro&_pragma=busy_timeout(5000)")
	if err != nil {
		return err
	}
	defer db.Close()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	var expired, waiting int
	for deadline := time.Now().Add(startTimeout); time.Now().Before(deadline); <-look.C {
		err := errors.Join(
			db.QueryRow("SELECT count(*) FROM sandboxes WHERE delete_at <= ?", time.Now().UnixMicro()).Scan(&expired),
			db.QueryRow("SELECT count(*) FROM tombstones WHERE emptied = 0").Scan(&waiting),
		)
		if err != nil {
			return err
		}
		if expired+waiting == 0 {
			return nil
		}
	}
	return fmt.Errorf("%d sandboxes past their leases are left, the bodies of %d deleted ones too", expired, waiting)
}

// inspect looks into a database that no server has open.
func inspect(path string) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer db.Close()
	var verdict string
	var orphans, gaps int
	err = errors.Join(
		db.QueryRow("PRAGMA integrity_check").Scan(&verdict),
		db.QueryRow(`SELECT count(*) FROM commits WHERE sandbox NOT IN (SELECT number FROM sandboxes)
			AND sandbox NOT IN (SELECT number FROM tombstones WHERE emptied = 0)`).Scan(&orphans),
		db.QueryRow(`SELECT count(*) FROM (SELECT count(*) AS n, max(version) AS newest FROM commits
			WHERE sandbox IN (SELECT number FROM sandboxes) GROUP BY sandbox) WHERE n <> newest`).Scan(&gaps),
	)
	if err != nil {
		return err
	}
	if verdict != "ok" || orphans != 0 || gaps != 0 {
		return fmt.Errorf("the database: %q, %d commits without a sandbox, %d sandboxes with a gap in their versions",
			verdict, orphans, gaps)
	}
	return nil
}

package ownership_test

import (
	"container/heap"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"platen/internal/cluster/ownership"
)

// A world is some nodes, one database, and clients who ask any node, in a time of its
// own. Everything random in it follows from its seed.
type world struct {
	random *rand.Rand
	now    time.Duration
	queue  events
	count  int
	broken broken

	database *database
	nodes    []*node
	// addresses are where sessions are, or were.
	addresses map[ownership.Session]*node
	// floors are, for each sandbox, the newest version that any client knows of.
	floors []int
	// writes is how many of a hundred actions of clients are writes.
	writes int
	ops    []*op
	// violation is the first promise that was not kept.
	violation string
}

// broken says which rule of the protocol is left out.
type broken string

const (
	whole            broken = ""
	noEpochInCommit  broken = "no epoch in the commit"
	claimByTime      broken = "a claim by the time of the owner's row, without burying it"
	noMargin         broken = "trust without a margin"
	revivingBeat     broken = "a beat that revives a row that was buried"
	servesBeforehand broken = "serving before the claim is durable"
	forwardsTwice    broken = "forwarding twice"
	repeatsWrites    broken = "repeating a write"
	silenceIsTheEnd  broken = "burying one that does not answer as if it had ended"
)

// at lets something happen in a while. On a node that is stopped meanwhile it happens
// when it goes on, and never on one that was killed.
func (w *world) at(d time.Duration, on *node, do func()) {
	w.count++
	e := &happening{at: w.now + d, order: w.count, on: on, do: do}
	if on != nil {
		e.life = on.life
	}
	heap.Push(&w.queue, e)
}

func (w *world) run(until time.Duration) {
	for len(w.queue) > 0 && w.queue[0].at <= until && w.violation == "" {
		e, _ := heap.Pop(&w.queue).(*happening)
		w.now = e.at
		switch {
		case e.on != nil && e.on.life != e.life:
		case e.on != nil && e.on.stoppedUntil > w.now:
			e.at = e.on.stoppedUntil
			heap.Push(&w.queue, e)
		default:
			e.do()
		}
	}
	w.now = until
}

func (w *world) between(least, most time.Duration) time.Duration {
	return least + time.Duration(w.random.Int64N(int64(most-least)+1))
}

// transit is how long a message takes: seldom very long.
func (w *world) transit() time.Duration {
	if w.random.IntN(50) == 0 {
		return w.between(100*time.Millisecond, 4*time.Second)
	}
	return w.between(100*time.Microsecond, 5*time.Millisecond)
}

func (w *world) violate(format string, values ...any) {
	if w.violation == "" {
		w.violation = fmt.Sprintf("at %s: ", w.now) + fmt.Sprintf(format, values...)
	}
}

type happening struct {
	at    time.Duration
	order int
	on    *node
	life  int
	do    func()
}

type events []*happening

func (e *events) Len() int { return len(*e) }
func (e *events) Less(i, j int) bool {
	a, b := (*e)[i], (*e)[j]
	return a.at < b.at || a.at == b.at && a.order < b.order
}
func (e *events) Swap(i, j int) { (*e)[i], (*e)[j] = (*e)[j], (*e)[i] }
func (e *events) Push(x any)    { h, _ := x.(*happening); *e = append(*e, h) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// database is the state in PostgreSQL, and the effect of each statement on it, in one
// moment. Its clock is the world's.
type database struct {
	world *world
	nodes map[ownership.Session]*nodeRow
	boxes []*box
}

// nodeRow is a node's row. A beat that hangs holds it locked, and nobody sees what it
// is going to write.
type nodeRow struct {
	since, until, locked time.Duration
	engine               int
}

// box is a sandbox: its record, and the writes that are in it, in order.
type box struct {
	ownership.Record
	log []int
	// engine is the version that began it.
	engine int
}

// beat moves a node's time on. It takes its time when it begins and is there when it
// ends.
func (d *database) beat(session ownership.Session, reply func(alive bool)) {
	row := d.nodes[session]
	if row == nil && d.world.broken == revivingBeat {
		row = &nodeRow{}
		d.nodes[session] = row
	}
	if row == nil {
		reply(false)
		return
	}
	until := d.world.now + ownership.Standard().Lifetime
	hangs := time.Duration(0)
	if d.world.random.IntN(10) == 0 {
		hangs = d.world.between(0, 5*time.Second)
	}
	row.locked = max(row.locked, d.world.now+hangs)
	d.world.at(hangs, nil, func() {
		if d.nodes[session] != row {
			reply(false)
			return
		}
		row.until = max(row.until, until)
		reply(true)
	})
}

// bury removes the row of a node whose time is over, or that has ended. It waits for a
// beat that holds the row.
func (d *database) bury(session ownership.Session, ended bool, reply func(gone bool)) {
	row := d.nodes[session]
	if row != nil && row.locked > d.world.now {
		d.world.at(row.locked-d.world.now+time.Microsecond, nil, func() { d.bury(session, ended, reply) })
		return
	}
	if row != nil && (ended || row.until < d.world.now) {
		delete(d.nodes, session)
		row = nil
	}
	reply(row == nil)
}

// claim makes a session the owner.
func (d *database) claim(i int, seen ownership.Record, session ownership.Session) bool {
	b := d.boxes[i]
	owner, self := d.nodes[b.Owner], d.nodes[session]
	if b.Epoch != seen.Epoch || self == nil {
		return false
	}
	free := owner == nil || d.world.broken == claimByTime && owner.until < d.world.now
	if self.engine == b.engine {
		free = free || owner.engine != b.engine
	} else {
		free = free && d.able(b) == ""
	}
	if !free {
		return false
	}
	b.Record = ownership.Record{Owner: session, Epoch: b.Epoch + 1}
	return true
}

// able is a node that can go on with a sandbox, "" for none.
func (d *database) able(b *box) ownership.Session {
	var found []ownership.Session
	for _, session := range slices.Sorted(maps.Keys(d.nodes)) {
		if d.nodes[session].engine == b.engine {
			found = append(found, session)
		}
	}
	if len(found) == 0 {
		return ""
	}
	return found[d.world.random.IntN(len(found))]
}

// commit adds a write to a sandbox, as its version.
func (d *database) commit(i int, by ownership.Record, version int, id int) bool {
	b := d.boxes[i]
	if b.Record != by && d.world.broken != noEpochInCommit || version != len(b.log)+1 {
		return false
	}
	b.log = append(b.log, id)
	return true
}

// holding is a sandbox in the memory of a node.
type holding struct {
	record  ownership.Record
	log     []int
	writing bool
	// foreign is set for one that another version began.
	foreign bool
}

// node is a node that does what ownership.Next says.
type node struct {
	world *world
	// life counts how often it was started, stoppedUntil is when it goes on.
	life         int
	engine       int
	stoppedUntil time.Duration
	dead         bool
	// cutUntil is until when nothing comes through between it and the database.
	cutUntil time.Duration
	// fast is how much faster its clock is than the world's.
	fast float64

	session      ownership.Session
	trustedUntil time.Duration
	held         map[int]*holding
	// hints are the owners that it has heard of last.
	hints map[int]ownership.Record
}

// hint notes the owner of a sandbox, unless that is nobody or the node itself.
func (n *node) hint(box int, record ownership.Record) {
	if record.Owner == "" || record.Owner == n.session {
		delete(n.hints, box)
		return
	}
	n.hints[box] = record
}

// clock is the node's own, which counts while it is stopped.
func (n *node) clock() time.Duration { return time.Duration(float64(n.world.now) * (1 + n.fast)) }

func (n *node) trusted() bool { return n.session != "" && n.clock() < n.trustedUntil }

const callPatience = 3 * time.Second

// ask sends a statement to the database. Then is called once: with what came back, or
// as lost.
func (n *node) ask(do func(reply func(any)), then func(answer any, lost bool)) {
	w := n.world
	answered := false
	once := func(answer any, lost bool) {
		if !answered {
			answered = true
			then(answer, lost)
		}
	}
	w.at(callPatience, n, func() { once(nil, true) })
	late := time.Duration(0)
	if n.cutUntil > w.now {
		if w.random.IntN(2) == 0 {
			return
		}
		late = n.cutUntil - w.now // it comes through when the cut has ended
	}
	w.at(late+w.transit(), nil, func() {
		do(func(answer any) {
			if n.cutUntil > w.now || w.random.IntN(100) == 0 {
				return // the answer is lost
			}
			w.at(w.transit(), n, func() { once(answer, false) })
		})
	})
}

// start begins a life of the node.
func (n *node) start() {
	n.life++
	n.dead, n.session, n.held, n.trustedUntil = false, "", map[int]*holding{}, 0
	n.hints = map[int]ownership.Record{}
	n.join()
	n.beat()
}

func (n *node) kill() { n.life++; n.dead = true }

func (n *node) join() {
	w := n.world
	session := ownership.Session(fmt.Sprintf("%016x", w.random.Uint64()))
	w.addresses[session] = n
	sent := n.clock()
	n.ask(func(reply func(any)) {
		w.database.nodes[session] = &nodeRow{
			since: w.now, until: w.now + ownership.Standard().Lifetime, engine: n.engine,
		}
		reply(nil)
	}, func(_ any, lost bool) {
		if lost {
			n.join()
			return
		}
		n.session, n.held = session, map[int]*holding{}
		n.trust(sent)
	})
}

func (n *node) trust(sent time.Duration) {
	terms := ownership.Standard()
	if n.world.broken == noMargin {
		terms.Margin = 0
	}
	n.trustedUntil = max(n.trustedUntil, terms.TrustedUntil(sent))
}

func (n *node) beat() {
	n.world.at(ownership.Standard().Beat, n, n.beat)
	if n.session == "" {
		return
	}
	session, sent := n.session, n.clock()
	n.ask(func(reply func(any)) {
		n.world.database.beat(session, func(alive bool) { reply(alive) })
	}, func(answer any, lost bool) {
		switch {
		case lost || n.session != session:
		case answer == true:
			n.trust(sent)
			n.sweep()
		default: // it was buried: nothing it has in memory counts any more
			n.session, n.held, n.trustedUntil = "", map[int]*holding{}, 0
			n.join()
		}
	})
}

// sweep buries any one whose time is over, so that what it owned is served elsewhere.
func (n *node) sweep() {
	d := n.world.database
	n.ask(func(reply func(any)) {
		for _, session := range slices.Sorted(maps.Keys(d.nodes)) {
			d.bury(session, false, func(bool) {})
		}
		reply(nil)
	}, func(any, bool) {})
}

// status is how a request ended.
type status string

const (
	done        status = "done"
	refused     status = "refused"     // 503: nothing was changed
	distrusting status = "distrusting" // 503 too, of a node outside its trust window
	unknown     status = "unknown"     // it may have been done
	misdirected status = "misdirected" // 421, to a node
	foreign     status = "foreign"     // 401: another version began the sandbox
	replaced    status = "replaced"    // 421 of a session that was not meant, to a node
)

// answer is a node's to a client or to another node.
type answer struct {
	status  status
	version int
	record  ownership.Record
}

// request is one at a node.
type request struct {
	ownership.Situation
	op    *op
	steps int
	hops  int
	reply func(answer)
	// able is a node that can go on with the sandbox, loaded that this one has it and
	// cannot.
	able   ownership.Session
	loaded bool
}

// maxSteps bounds the steps of a request at a node.
const maxSteps = 16

// decide does the next step of a request.
func (n *node) decide(r *request) {
	w := n.world
	if r.steps++; r.steps > maxSteps {
		r.reply(answer{status: refused})
		return
	}
	h := n.held[r.op.box]
	if hint, known := n.hints[r.op.box]; known && r.steps == 1 && !r.Forwarded {
		r.know(&hint, false)
	}
	r.Self, r.Trusted, r.Held = n.session, n.trusted(), h != nil && (!h.foreign || r.loaded)
	if w.broken == forwardsTwice {
		r.Forwarded = false
	}
	if r.hops > 1 {
		w.violate("a request was sent on %d times", r.hops)
		return
	}
	switch step := ownership.Next(r.Situation); step {
	case ownership.Serve:
		n.serve(r)
	case ownership.Look, ownership.Load:
		n.look(r, step == ownership.Load)
	case ownership.Claim:
		n.claim(r)
	case ownership.Forward:
		n.forward(r, r.Known.Owner)
	case ownership.Entrust:
		n.forward(r, r.able)
	case ownership.Bury, ownership.BuryEnded:
		n.bury(r, step == ownership.BuryEnded)
	case ownership.Misdirect:
		r.reply(answer{status: misdirected, record: *r.Known})
	case ownership.Refuse:
		if r.Trusted {
			r.reply(answer{status: refused})
		} else {
			r.reply(answer{status: distrusting})
		}
	}
}

// know takes a record in, which makes what was found out about another owner void.
func (r *request) know(record *ownership.Record, read bool) {
	r.Situation = ownership.Situation{
		Known: record, Read: read, Forwarded: r.Forwarded, Misdirected: r.Misdirected,
	}
}

func (n *node) look(r *request, load bool) {
	w, session := n.world, n.session
	type look struct {
		holding
		free, foreign bool
		able          ownership.Session
	}
	n.ask(func(reply func(any)) {
		b := w.database.boxes[r.op.box]
		owner := w.database.nodes[b.Owner]
		fits, able := b.engine == n.engine, w.database.able(b)
		free := owner == nil || w.broken == claimByTime && owner.until < w.now ||
			owner.engine != b.engine && (fits || able != "")
		found := holding{record: b.Record, log: slices.Clip(b.log), foreign: !fits}
		reply(look{found, free, !fits && able != "", able})
	}, func(found any, lost bool) {
		said, _ := found.(look)
		image := said.holding
		switch {
		case lost || n.session != session:
			r.reply(answer{status: refused})
			return
		case load && image.record.Owner == session && n.held[r.op.box] == nil:
			n.held[r.op.box] = &image
			r.loaded = image.foreign
		case load && n.held[r.op.box] != nil && n.held[r.op.box].foreign:
			r.loaded = true
		case load && n.held[r.op.box] == nil:
			r.know(nil, false)
		case !load:
			r.know(&image.record, true)
			n.hint(r.op.box, image.record)
			r.Buried, r.Foreign, r.able = said.free, said.foreign, said.able
		}
		n.decide(r)
	})
}

func (n *node) claim(r *request) {
	w, session, seen := n.world, n.session, *r.Known
	if w.broken == servesBeforehand {
		n.held[r.op.box] = &holding{
			record: ownership.Record{Owner: session, Epoch: seen.Epoch + 1},
			log:    slices.Clip(w.database.boxes[r.op.box].log),
		}
		w.at(time.Microsecond, n, func() { n.decide(r) })
	}
	n.ask(func(reply func(any)) {
		reply(w.database.claim(r.op.box, seen, session))
	}, func(claimed any, lost bool) {
		switch {
		case w.broken == servesBeforehand:
			if claimed != true {
				delete(n.held, r.op.box)
			}
			return
		case lost || n.session != session:
			r.reply(answer{status: refused})
			return
		case claimed == true:
			r.know(&ownership.Record{Owner: session, Epoch: seen.Epoch + 1}, true)
		default:
			r.know(nil, false)
		}
		n.decide(r)
	})
}

func (n *node) bury(r *request, ended bool) {
	w, owner := n.world, r.Known.Owner
	n.ask(func(reply func(any)) {
		w.database.bury(owner, ended, func(gone bool) { reply(gone) })
	}, func(gone any, lost bool) {
		if lost {
			r.reply(answer{status: refused})
			return
		}
		r.Buried, r.Living = gone == true, gone != true
		delete(n.hints, r.op.box)
		n.decide(r)
	})
}

// forward sends a request to the owner, or to a node that is to claim the sandbox, and a
// read once more when no answer comes.
func (n *node) forward(r *request, owner ownership.Session) {
	w := n.world
	to := w.addresses[owner]
	if to.dead { // the connection is refused
		r.Absent++
		w.at(w.transit(), n, func() { n.decide(r) })
		return
	}
	answered := false
	once := func(a answer, lost bool) {
		if answered {
			return
		}
		answered = true
		switch {
		case lost && (!r.op.write || w.broken == repeatsWrites):
			if r.Silent++; w.broken == silenceIsTheEnd {
				r.Absent++
			}
			n.decide(r)
		case a.status == replaced:
			r.Replaced = true
			n.decide(r)
		case lost:
			r.reply(answer{status: unknown})
		case a.status == misdirected:
			r.Misdirected++
			if n.hint(r.op.box, a.record); a.record.Owner != owner {
				r.know(&a.record, false)
			} else { // it waits for somebody else to claim what it has
				delete(n.hints, r.op.box)
				r.know(nil, false)
			}
			n.decide(r)
		case a.status == distrusting:
			r.Distrusting = true
			n.decide(r)
		default:
			r.reply(a)
		}
	}
	w.at(callPatience, n, func() { once(answer{}, true) })
	w.at(w.transit(), to, func() {
		reply := func(a answer) { w.at(w.transit(), n, func() { once(a, false) }) }
		if to.session != owner {
			reply(answer{status: replaced})
			return
		}
		sent := &request{op: r.op, hops: r.hops + 1, reply: reply}
		sent.Forwarded = true
		to.decide(sent)
	})
}

// serve does a request in memory, and commits a write.
func (n *node) serve(r *request) {
	w, h := n.world, n.held[r.op.box]
	if w.database.boxes[r.op.box].engine != n.engine {
		if !h.foreign {
			w.violate("a node of version %d serves sandbox %d", n.engine, r.op.box)
		}
		for _, other := range w.database.nodes {
			if other.engine == w.database.boxes[r.op.box].engine && w.now-other.since > 2*callPatience {
				w.violate("a node of version %d says so of sandbox %d, and one that can go on with it lives", n.engine,
					r.op.box)
			}
		}
		r.reply(answer{status: foreign})
		return
	}
	if !r.op.write {
		version := len(h.log)
		w.at(w.between(0, 2*time.Millisecond), n, func() { // the view is taken: is it still ours?
			if n.held[r.op.box] != h || !n.trusted() {
				n.decide(r)
				return
			}
			r.reply(answer{status: done, version: version})
		})
		return
	}
	if h.writing {
		r.steps--
		w.at(5*time.Millisecond, n, func() { n.decide(r) })
		return
	}
	if r.op.keyed {
		if at := slices.Index(h.log, r.op.id); at >= 0 {
			r.reply(answer{status: done, version: at + 1})
			return
		}
	}
	h.writing = true
	w.at(w.between(0, 50*time.Millisecond), n, func() { n.commit(r, h) }) // the command runs
}

func (n *node) commit(r *request, h *holding) {
	w, version := n.world, len(h.log)+1
	n.ask(func(reply func(any)) {
		reply(w.database.commit(r.op.box, h.record, version, r.op.id))
	}, func(committed any, lost bool) {
		h.writing = false
		if !lost && committed == true {
			h.log = append(h.log, r.op.id)
			r.reply(answer{status: done, version: version})
			return
		}
		if n.held[r.op.box] == h {
			delete(n.held, r.op.box) // memory is never ahead of disk, nor behind
		}
		if lost {
			r.reply(answer{status: unknown})
			return
		}
		r.reply(answer{status: refused})
	})
}

// Package desk keeps what lies beside a company in its sandbox: what its client did, and what the client is owed.
//
// Two lifetimes are two types. A Desk goes with the company in memory: subscriptions with their deliveries and
// checkpoints change in the commits of the sandbox, and go back with a commit that failed. A Client outlives that:
// activity and the memory of faults have locks of their own, since reads and refusals change them without a writer.
// They are ahead of the store, go there with the next commit, and are never rolled back. The requests that a Client
// remembers, and the faults that it met, are in the process only.
//
// Nothing in the company follows from a desk but the signals of missions, which a client's requests give.
package desk

import (
	"cmp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"platen/internal/company"
	"platen/internal/company/attention"
	"platen/internal/company/mission"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/desk/activity"
	"platen/internal/desk/injection"
	"platen/internal/desk/subscription"
	"platen/internal/words/event"
	"platen/internal/words/moment"
)

// Options are the functions that a desk needs of its registry.
type Options struct {
	// Now is the wall clock.
	Now func() moment.Instant
	// NewSecret makes a secret of a subscription, Seal keeps a text of one.
	NewSecret func() string
	Seal      func(plain, sandboxID, subscriptionID string) []byte
}

// Desk is the part that goes with the company in memory. Like the company it has one writer at a time.
type Desk struct {
	Webhooks *subscription.Subscriptions

	company *company.Company
	client  *Client
	options *Options
	rec     *record.Recorder
	wall    moment.Instant
	// evaluation is set where players are compared.
	evaluation  bool
	checkpoints *record.Table[Checkpoint, struct{}]
	// faultParts holds the parts of the memory of faults as they are stored.
	faultParts *record.Table[faultPart, storedFault]
	// intents holds those that a fault hit, as they are stored.
	intents *record.Table[intentRow, activity.Intent]
	tables  []*record.Rows
	// stored is a hash of the activity that the newest commit has, but for manners.
	stored uint64
	// disturbed has the faults of the deliveries of the step that the writer is at, nil for none.
	disturbed *disturbance
}

// state is stored with every commit beside the tables. Manners are by themselves: they are not worth a commit.
type state struct {
	Activity jsontext.Value   `json:"activity,omitzero"`
	Manners  activity.Manners `json:"manners,omitzero"`
	Spells   injection.Spells `json:"spells,omitzero"`
}

func empty(c *company.Company, o *Options, client *Client) *Desk {
	rec := record.NewDeskRecorder(c.Feed())
	d := &Desk{
		Webhooks: subscription.New(rec), company: c, client: client, options: o, rec: rec,
		checkpoints: newCheckpoints(), faultParts: newFaultParts(), intents: newIntents(),
		evaluation: c.Settings().Preset.Evaluation,
	}
	d.tables = append(d.Webhooks.Tables(), d.checkpoints.Rows, d.faultParts.Rows, d.intents.Rows)
	d.At(c.Wall())
	return d
}

// New returns the desk of a company on its first morning, with the checkpoint that each has.
func New(c *company.Company, o *Options, client *Client) *Desk {
	d := empty(c, o, client)
	d.addCheckpoint(StartCheckpoint, 1)
	_ = d.restore(state{}, nil) // there is nothing to decode
	return d
}

// Load returns the desk of a company as it was stored with it.
func Load(image *record.Image, c *company.Company, o *Options, client *Client) (*Desk, error) {
	d := empty(c, o, client)
	var st state
	if len(image.Desk) > 0 {
		if err := record.DecodeState(image.Desk, &st); err != nil {
			return nil, err //nolint:wrapcheck // it says what it decodes
		}
	}
	for _, table := range d.tables {
		for _, rows := range image.Tables {
			if rows.Table == table.Definition().Resource {
				if err := table.Restore(rows); err != nil {
					return nil, err //nolint:wrapcheck // it names the table
				}
			}
		}
	}
	return d, d.restore(st, st.Activity)
}

// Definitions lists the definitions of all tables of a sandbox.
func Definitions() []record.Definition {
	rec := record.NewDeskRecorder(record.NewFeed("", 0, record.Position{}))
	definitions := company.Definitions()
	for _, t := range append(subscription.New(rec).Tables(), newCheckpoints().Rows) {
		definitions = append(definitions, t.Definition())
	}
	return definitions
}

// At sets the moment of the next changes: what is beside the company goes on when the company has ended, so their wall
// time is the wall clock's.
func (d *Desk) At(now moment.Instant) {
	d.wall = max(d.wall, d.company.Wall(), now)
	d.rec.SetMoment(d.company.Now(), d.wall, d.company.Clock())
}

// Changed reports whether rows or events wait to be flushed.
func (d *Desk) Changed() bool { return d.rec.Touched() }

// Credit lets the missions take up what the client's requests have shown.
func (d *Desk) Credit() {
	_, twice := d.Webhooks.Glance()
	if noted := d.client.Signals(twice); noted&^d.company.Signals() != 0 && !d.company.Bankrupt() {
		d.company.Note(noted)
	}
}

// Flush encodes everything that changed in the company and beside it since the last flush, as the commit with the given
// version. The events that wait get their deliveries first: they are durable together.
func (d *Desk) Flush(version uint64) record.Changes {
	notices := d.company.Notices()
	d.At(0)
	if own := d.rec.Notices(); len(own) > 0 {
		notices = append(notices, own...)
		slices.SortFunc(notices, func(a, b record.Notice) int { return cmp.Compare(a.Sequence, b.Sequence) })
	}
	d.Webhooks.Publish(notices)
	changes := d.company.Flush(version)
	if f := d.client.faults.Load(); f != nil {
		d.storeFaults(f)
		d.storeIntents()
	}
	if events := d.rec.Flush(); len(events) > 0 {
		changes.Events = slices.Concat(changes.Events, events)
		slices.SortFunc(changes.Events, func(a, b record.Event) int { return cmp.Compare(a.Sequence, b.Sequence) })
	}
	for _, table := range d.tables {
		table.Flush(version, &changes)
	}
	st := d.state()
	changes.Desk, d.stored = record.Encode(&st), sim.Hash(string(st.Activity))
	if version%company.DecodedFor == 0 {
		for _, table := range d.tables {
			table.DropDecoded()
		}
	}
	return changes
}

// Image returns the whole sandbox as it was last flushed, with the activity of its client as it is now.
func (d *Desk) Image() record.Image {
	image := d.company.Image()
	for _, table := range d.tables {
		image.Tables = append(image.Tables, table.Image())
	}
	st := d.state()
	image.Desk = record.Encode(&st)
	return image
}

// Unstored reports what of the client no commit has: whether its activity differs in anything that must not be lost
// when the server stops, and whether the memory of faults and of what they hit does.
func (d *Desk) Unstored() (activity, faults bool) {
	st := d.state()
	f := d.client.faults.Load()
	return sim.Hash(string(st.Activity)) != d.stored, f != nil && (f.unstored() || d.client.unfollowed())
}

// Fork makes the desk that of a copy: its subscriptions stay with the other one, whose addresses and secrets they have,
// and nothing is written about that.
func (d *Desk) Fork(now moment.Instant) {
	d.At(now)
	d.Webhooks.Clear()
}

// Expiring writes that the sandbox's time runs out.
func (d *Desk) Expiring(end moment.Instant, extensionsLeft int) {
	d.At(0)
	about := &company.SandboxRow{Head: record.Head{ID: d.company.Settings().SandboxID}}
	d.rec.Emit(event.SandboxExpiring, about,
		&event.SandboxExpiringData{ExpiresAt: end, ExtensionsLeft: int64(extensionsLeft)})
}

// Tested notes the outcome of a test ping.
func (d *Desk) Tested(a subscription.Attempt, o subscription.Outcome) error {
	activated, err := d.Webhooks.Tested(a, o)
	if activated && !d.company.Bankrupt() {
		d.company.Signal(mission.VerifiedWebhook)
	}
	return err //nolint:wrapcheck // a problem
}

// Silent lists the subscriptions that are sent nothing.
func (d *Desk) Silent() (silent []attention.Webhook) {
	for s := range d.Webhooks.Subscriptions.All {
		if s.Status != subscription.Active {
			silent = append(silent, attention.Webhook{
				ID: s.ID, Host: s.URLHost, Verified: s.Status == subscription.Disabled,
			})
		}
	}
	return silent
}

// Check reports a row that was changed behind the recorder.
func (d *Desk) Check() error {
	for _, table := range d.tables {
		if err := table.Check(); err != nil {
			return err //nolint:wrapcheck // it names the row
		}
	}
	return nil
}

// Summary is the desk at a glance: what readers of the sandbox look at. It is a value, taken after each commit.
type Summary struct {
	// Serving is set while a subscription is active.
	Serving bool
	// AcknowledgedTwice is the smallest number of an event that a receiver acknowledged twice, 0 for none.
	AcknowledgedTwice uint64
	// HandedOver is when an evaluation was handed to its player, 0 before and elsewhere.
	HandedOver moment.Instant
}

// Summary returns the desk at a glance.
func (d *Desk) Summary() Summary {
	s := Summary{}
	s.Serving, s.AcknowledgedTwice = d.Webhooks.Glance()
	if d.evaluation {
		s.HandedOver = d.handedOver()
	}
	return s
}

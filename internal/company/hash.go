package company

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"platen/internal/company/record"
)

// StateHash returns the SHA-256 of the whole company in hexadecimal: all rows
// and their private state, the timers in their order, the clock's mode and
// moment, cash, counters, signals, seed and preset.
//
// It checks the promise of this package: the same preset, seed and client
// actions at the same simulated minutes give the same company. So it leaves out
// the fields that may differ between two sandboxes that lived the same life:
// wall times (created_at, updated_at, completed_at, unlocked_at, ends_at, and
// where the clock is anchored), the ids of events and the uid they are made of,
// the sandbox's own id, and where it was copied from. Whether time passed by itself or by ticks leaves no
// trace either. What the client did and is owed lies beside the company, with its events: the hash sees only the
// missions that were completed.
//
// It sees the company as it is, flushed or not, and does not change it. Its
// cost grows with the company, so it is for tests and comparisons.
func (c *Company) StateHash() string {
	st := c.state()
	st.Clock.Waiting = false // until no time has passed, it makes no difference
	return fmt.Sprintf("%x", sha256.Sum256(record.AppendCanonical(nil, c.tables, c.rec.Sorted(), st)))
}

// BusinessHash returns the SHA-256 of the business records in hexadecimal: all rows of Head
// Office, the Factory, the people, the market and the world, as they are served, without wall
// times and ids of events. Two companies have the same when the same was done in them with
// the same outcome, in the same order. How a client came to it does not matter: what it read,
// which of its requests were refused, and the missions that it completed on the way.
func (c *Company) BusinessHash() string {
	business := slices.Concat(c.office.Tables(), c.factory.Tables(), c.people.Tables(), c.market.Tables(),
		c.lore.Tables())
	return fmt.Sprintf("%x", sha256.Sum256(record.AppendServed(nil, business)))
}

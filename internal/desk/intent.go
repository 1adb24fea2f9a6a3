package desk

import (
	"strconv"

	"platen/internal/company/record"
	"platen/internal/desk/activity"
)

// intentRow is a row without a public part: its private part is an intent that a fault hit. Each is a row, so that a
// commit stores those that have changed and not all of them.
type intentRow struct {
	record.Head
	record.Stamps
}

func (*intentRow) Resource() string { return "intent" }
func (*intentRow) State() string    { return "" }

func newIntents() *record.Table[intentRow, activity.Intent] {
	return record.NewTable[intentRow, activity.Intent](
		record.Definition{Resource: (*intentRow)(nil).Resource()}, nil)
}

// storedIntents returns the intents that were stored.
func (d *Desk) storedIntents() activity.Intents {
	var all []activity.Intent
	for _, stored := range d.intents.All {
		all = append(all, *stored)
	}
	return activity.NewIntents(all)
}

// storeIntents puts the intents that have changed into their rows.
func (d *Desk) storeIntents() {
	c := d.client
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, place := range c.intents.Taken() {
		id, intent := "intent_"+strconv.Itoa(place), c.intents.At(place)
		if _, known := d.intents.Find(id); known {
			*record.EditPrivate(d.intents, d.rec, id) = intent
			continue
		}
		d.intents.Add(d.rec, intentRow{Head: record.Head{ID: id}}, intent)
	}
}

// unfollowed reports whether no commit has the intents as they are.
func (c *Client) unfollowed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.intents.Changed()
}

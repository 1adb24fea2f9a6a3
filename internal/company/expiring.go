package company

import (
	"platen/internal/company/record"
	"platen/internal/event"
	"platen/internal/moment"
)

// sandboxRow represents the sandbox in events about it. It is in no table: its
// lease is not the company's business.
type sandboxRow struct {
	record.Head
	record.Stamps

	status string
}

func (*sandboxRow) Resource() string { return "sandbox" }
func (s *sandboxRow) State() string  { return s.status }

// Expiring writes that the sandbox's time runs out. It is the one event that
// the wall clock brings: nothing in the company follows from it, and the state
// hash does not see it.
func (c *Company) Expiring(end moment.Instant, extensionsLeft int) {
	about := &sandboxRow{Head: record.Head{ID: c.settings.SandboxID}}
	c.rec.Emit(event.SandboxExpiring, about,
		&event.SandboxExpiringData{ExpiresAt: end, ExtensionsLeft: int64(extensionsLeft)})
	c.wallEvents++
}

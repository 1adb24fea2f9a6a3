package company

import (
	"platen/internal/company/record"
	"platen/internal/words/event"
)

// SandboxRow stands for the sandbox in events about it. It is in no table: its lease is not the company's business.
type SandboxRow struct {
	record.Head
	record.Stamps

	Status string
}

// Resource implements record.Row.
func (*SandboxRow) Resource() string { return "sandbox" }

// State implements record.Row.
func (s *SandboxRow) State() string { return s.Status }

// testSolvency ends the company when its cash is below the overdraft, or has
// been negative at too many closes in a row (contract: OPEN.BANKRUPT.WHEN).
// Its clock stops for good (contract: OPEN.TIME.STOPS).
func (c *Company) testSolvency() {
	cash, negative, p := c.office.State.CashMinor, c.office.State.NegativeCloses, &c.settings.Preset
	if cash >= -p.OverdraftLimitMinor && negative < p.NegativeClosesToBankrupt {
		return
	}
	c.clock = c.clock.MovedTo(c.now, c.rec.Wall())
	c.clock.Stopped = true
	about := &SandboxRow{Head: record.Head{ID: c.settings.SandboxID}, Status: "bankrupt"}
	c.rec.Emit(event.SandboxBankrupt, about,
		&event.SandboxBankruptData{CashMinor: cash, DaysNegative: negative, DayNumber: int64(c.now.Day())})
}

// Bankrupt reports whether the company has ended. No command may be given to
// it then, and no time passes.
func (c *Company) Bankrupt() bool { return c.clock.Stopped }

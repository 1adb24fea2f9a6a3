package company

import (
	"platen/internal/company/integration"
	"platen/internal/company/sim"
)

// Integration compares both systems at a minute, up to which the company has been brought:
// what the client had to carry, and what came of it. It is false with the auto bridge, where
// nothing is left to carry. Repeated are the decisions that the client made again.
func (c *Company) Integration(now sim.Minute,
	repeated []integration.Repetition) (result integration.Result, manual bool) {
	if c.bridged() {
		return result, false
	}
	return integration.Company{
		Office: c.office, Factory: c.factory, People: c.people, Wages: c.settings.Preset.Payroll.Paid, Now: now,
		Repeated: repeated,
	}.Verify(), true
}

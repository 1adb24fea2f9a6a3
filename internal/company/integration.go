package company

import (
	"platen/internal/company/integration"
	"platen/internal/company/sim"
)

// Integration compares both systems at a minute, up to which the company has been brought:
// what the client had to carry, and what came of it. It is false with the auto bridge, where
// nothing is left to carry. Repeated are the decisions that the client made again, intents the writes that a fault hit.
func (c *Company) Integration(now sim.Minute, repeated []integration.Repetition,
	intents []integration.Intent) (result integration.Result, manual bool) {
	if c.bridged() {
		return result, false
	}
	both := c.compared()
	both.Now, both.Repeated, both.Intents = now, repeated, intents
	return both.Verify(), true
}

// Subject returns the id of the record that a write of the client carries something for, and false for one that is not
// there, and with the auto bridge.
func (c *Company) Subject(step integration.Kind, name string) (id string, ok bool) {
	if c.bridged() {
		return "", false
	}
	return c.compared().Subject(step, name)
}

func (c *Company) compared() integration.Company {
	return integration.Company{
		Office: c.office, Factory: c.factory, People: c.people, Wages: c.settings.Preset.Payroll.Paid,
	}
}

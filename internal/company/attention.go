package company

import (
	"platen/internal/company/attention"
	"platen/internal/company/hr"
	"platen/internal/words/event"
)

// Attention returns what needs attention in a company that has been brought up to the present,
// what is urgent first. A company that has ended needs nobody.
func (c *Company) Attention(webhooks []attention.Webhook) []attention.Concern {
	if c.Bankrupt() {
		return nil
	}
	return c.attended(webhooks).Concerns()
}

// Propose returns commands that succeed now, for a list of the records that wait. A company that has ended takes none.
func (c *Company) Propose() attention.Proposals {
	if c.Bankrupt() {
		return attention.Proposals{}
	}
	return c.attended(nil).Propose()
}

func (c *Company) attended(webhooks []attention.Webhook) *attention.Company {
	p := &c.settings.Preset
	return &attention.Company{
		Office: c.office, Factory: c.factory, People: c.people, Webhooks: webhooks, Recorder: c.rec,
		OverdraftLimitMinor: p.OverdraftLimitMinor, MostNegative: p.NegativeClosesToBankrupt,
		Wages: p.Payroll.Paid, SurchargePctPerDay: p.Payroll.SurchargePctPerDay,
		CanAccept: c.CanAcceptSalesOrder, CanShip: c.CanShipFromFactory,
		CanRun: c.CanStartPrintRun,
		CanHire: func(role event.Role) error {
			if _, err := c.people.Hireable(&hr.HireEmployee{Role: role}); err != nil {
				return err
			}
			return c.office.CanSpend(c.people.HireFeeMinor())
		},
	}
}

package company_test

import (
	"testing"

	"platen/internal/company"
	"platen/internal/company/factory"
	"platen/internal/company/preset"
	"platen/internal/company/sim"
)

const benchDays = 60

// play runs a company for some days, recorder without encoding, with a policy
// that acts every half hour.
func play(b *testing.B, policy func(*company.Company)) {
	presets, err := preset.Builtin()
	if err != nil {
		b.Fatal(err)
	}
	p := presets["starter"]
	days := 0
	for b.Loop() {
		c := company.New(company.Settings{SandboxID: "sbx_0", Preset: p, Bridge: p.Bridge, Seed: uint64(days), UID: 1},
			sim.Manual, opened)
		c.Forget()
		for range benchDays * 16 {
			if policy != nil {
				policy(c)
			}
			c.Tick(opened, 30)
			c.Forget()
		}
		days += benchDays
	}
	b.ReportMetric(float64(days)/b.Elapsed().Seconds(), "company-days/s")
}

func BenchmarkDoNothing(b *testing.B) { play(b, nil) }

func BenchmarkGreedy(b *testing.B) { play(b, greedy) }

// greedy accepts everything and prints first in, first out on any free press.
func greedy(c *company.Company) {
	for _, id := range c.OpenOrders() {
		_ = c.AcceptSalesOrder(id)
	}
	for _, w := range c.OpenWork() {
		switch w.Status {
		case factory.WorkReady:
			_, _ = c.ShipFromFactory(&factory.CreateFactoryShipment{WorkOrderID: w.ID})
		default:
			for _, press := range []string{"prs_offset", "prs_digital"} {
				if _, err := c.StartPrintRun(
					&factory.StartPrintRun{PressID: press, WorkOrderID: &w.ID, OversPct: new(int64(3))}); err == nil {
					break
				}
			}
		}
	}
}

package web

import (
	"platen/internal/company/preset"
	"platen/internal/operation"
	"platen/internal/publish/docsite"
	"platen/internal/words/event"
)

// offer is a preset as a card of the landing page.
type offer struct {
	Name, Title, Text, Icon string
	ByHand                  bool
}

// offerWords describe the use of a preset in a few words; one of an operator's
// own has its summary instead.
var offerWords = map[string][3]string{ //nolint:gochecknoglobals // read only
	"starter":      {"Starter", "A healthy company with an automatic bridge.", "zap"},
	"manual":       {"Manual bridge", "The same company: your program is the bridge.", "unplug"},
	"crunch":       {"Crunch", "More orders than two presses can print, little cash.", "gauge"},
	"supply_shock": {"Supply shock", "Prices up a third, late trucks, wrong bills.", "truck"},
	"agent_eval":   {"Agent evaluation", "A fixed world and a manual clock, for scores.", "cpu"},
	"empty":        {"Empty", "Stock and no orders. Move the clock to get some.", "package"},
}

// plan is a plan of faults as an option of the landing page.
type plan struct{ Name, Title, Text string }

// planWords describe the faults that a plan injects, none for "".
var planWords = map[string][2]string{ //nolint:gochecknoglobals // read only
	"":      {"None", "No faults: every request gets through, and no webhook is lost."},
	"light": {"Light", "Webhooks arrive twice or late. Some requests are slow or rejected."},
	"moderate": {"Moderate",
		"Responses and webhooks are lost, late or duplicated. Reads are stale, and pages are short."},
	"severe": {"Severe", "Many responses and webhooks are lost, systems go down, a clock is wrong, some webhooks are " +
		"forged. Duplicate requests are processed twice."},
	"treacherous": {"Treacherous",
		"Lost requests take effect later, and duplicate requests are processed twice. A check before a retry " +
			"is not enough."},
}

// plans are no faults, and then the plans, each under one name.
func plans() []plan {
	nothing := planWords[""]
	all := []plan{{"", nothing[0], nothing[1]}}
	for _, name := range operation.FaultPlans() {
		if words, ok := planWords[string(name)]; ok {
			all = append(all, plan{string(name), words[0], words[1]})
		}
	}
	return all
}

// landing is the first page.
func landing(o Options) docsite.Page {
	var offers []offer
	for i := range o.Presets {
		p := &o.Presets[i]
		// The preset with that name needs no mark that says it once more.
		byHand := p.Bridge == preset.ByHand && p.Name != "manual"
		offer := offer{Name: p.Name, Title: p.Name, Text: p.Summary, Icon: "package", ByHand: byHand}
		if words, ok := offerWords[p.Name]; ok {
			offer.Title, offer.Text, offer.Icon = words[0], words[1], words[2]
		}
		offers = append(offers, offer)
	}
	return docsite.Page{
		Template: "landing", Title: "Platen, a realistic sandbox for testing integrations and agents", Path: "/",
		Scripts: []string{"landing/landing.js"}, Styles: []string{"parts.css", "landing.css"},
		Description: "A simulated printing company behind two HTTP APIs that share no data. It reacts, " +
			"remembers, and fails the way production does.",
		Content: struct {
			Offers []offer
			Plans  []plan
			Steps  []step
			Stages []stage
			Doors  []door
		}{offers, plans(), steps, stages(), doors},
	}
}

// stage is one row of the figure on the landing page: the step on either side,
// and which way the bridge carries it.
type stage struct {
	Office, Factory event.Type
	// Across is "right" or "left", empty where nothing is carried.
	Across string
}

// stages are the road from an order to its money.
func stages() []stage {
	return []stage{
		{Office: event.SalesOrderReceived},
		{Office: event.SalesOrderAccepted, Factory: event.WorkOrderCreated, Across: "right"},
		{Factory: event.PrintRunStarted},
		{Factory: event.PrintRunCompleted},
		{Factory: event.WorkOrderReady},
		{Office: event.CustomerInvoiceCreated, Factory: event.ShipmentCreated, Across: "left"},
		{Office: event.PaymentReceived},
	}
}

package web

import (
	"slices"
	"strings"

	"platen/internal/company/preset"
)

// offer is a preset as a card of the landing page.
type offer struct {
	Name, Title, Text, Icon string
	ByHand                  bool
}

// offerWords describe the use of a preset in a few words; one of an operator's
// own has its summary instead.
var offerWords = map[string][3]string{ //nolint:gochecknoglobals // read only
	"starter": {"Starter",
		"A healthy company. The bridge is automatic: an accepted order is already at the Factory.", "zap"},
	"manual": {"Manual bridge",
		"The same company, unplugged. Your program carries each record across.", "unplug"},
	"crunch":       {"Crunch", "Orders arrive faster than two presses can print. Little cash, much noise.", "gauge"},
	"supply_shock": {"Supply shock", "Prices up a third, trucks late, bills that do not match.", "truck"},
	"agent_eval": {"Agent evaluation",
		"A fixed world and a clock that only moves when told, for comparable scores.", "cpu"},
	"empty": {"Empty", "A printing house and its stock. No orders until you let time pass.", "package"},
}

// offers are the presets of this server, in the order of teaching.
func (s *site) offers() []offer {
	presets := slices.Clone(s.presets)
	slices.SortFunc(presets, byTeaching)
	var offers []offer
	for i := range presets {
		p := &presets[i]
		o := offer{Name: p.Name, Title: p.Name, Text: p.Summary, Icon: "package", ByHand: p.Bridge == preset.ByHand}
		if words, ok := offerWords[p.Name]; ok {
			o.Title, o.Text, o.Icon = words[0], words[1], words[2]
		}
		offers = append(offers, o)
	}
	return offers
}

// byTeaching orders presets as they are taught; an operator's own come after.
func byTeaching(a, b preset.Preset) int {
	place := func(p preset.Preset) int {
		if i := slices.Index(presetOrder, p.Name); i >= 0 {
			return i
		}
		return len(presetOrder)
	}
	if d := place(a) - place(b); d != 0 {
		return d
	}
	return strings.Compare(a.Name, b.Name)
}

func (s *site) addLanding() error {
	return s.add(page{
		Template: "landing", Title: "Platen, a printing company to practise integration on", Path: "/",
		Scripts: []string{"landing/landing.js"}, Styles: []string{"parts.css", "landing.css"},
		Description: "A simulated printing company behind two HTTP systems that share no data.",
		Content: struct {
			Offers []offer
			Steps  []step
			Stages []stage
		}{s.offers(), steps, stages()},
	})
}

package tokens

import (
	"fmt"
	"strings"
	"testing"

	"platen/platentest"
)

// literal is an agent that knows nothing but the lines of the digest: it sends the command with which a line begins,
// and fills in what the other lines say. It remembers nothing.
type literal struct{ *agent }

// suppliers are those of the first list that sells a material: the only thing that it looks up.
func (l literal) suppliers() map[string]string {
	of := map[string]string{}
	text, _ := l.call("do", row{"commands": []string{"list_suppliers"}})
	for _, r := range table(after(text, "list_suppliers")) {
		for price := range strings.SplitSeq(r["prices(sku:unit_price_minor:minimum_quantity)"], ",") {
			if sku, _, _ := strings.Cut(price, ":"); sku != "" && of[sku] == "" {
				of[sku] = r["id"]
			}
		}
	}
	return of
}

// commands are those that the lines of a digest ask for.
func (l literal) commands(lines []string, suppliers map[string]string) (all []string) {
	var idle []string
	buys := func(sku, quantity, more string) {
		if supplier := suppliers[sku]; supplier != "" {
			all = append(all, fmt.Sprintf(`create_purchase_order supplier_id=%s %slines=[{"sku":%q,"quantity":%s}]`,
				supplier, more, sku, quantity))
		}
	}
	asked := map[string]bool{}
	for _, line := range lines {
		if press, is := strings.CutPrefix(line, "press "); is && strings.HasSuffix(press, " idle") {
			idle = append(idle, strings.TrimSuffix(press, " idle"))
		}
	}
	for _, line := range lines {
		command, about, found := strings.Cut(line, " # ")
		words := strings.Fields(about)
		switch name, _, _ := strings.Cut(command, " "); {
		case strings.HasPrefix(line, "short "):
			sku, figures, _ := strings.Cut(strings.TrimPrefix(line, "short "), " ")
			words = strings.Fields(strings.ReplaceAll(figures, ",", ""))
			if !asked[sku] && whole(words[3]) == 0 { // nothing is on order
				buys(sku, fmt.Sprint(max(whole(words[6]), 2*whole(words[len(words)-1]))), "")
			}
		case !found || strings.HasPrefix(name, "list_"):
		case name == "accept_contract_lot": // which may cost its penalty
			all = append(all, "decline_"+strings.TrimPrefix(command, "accept_"))
		case name == "start_print_run":
			if len(idle) > 0 {
				all, idle = append(all, command+" press_id="+idle[0]), idle[1:]
			}
		case name == "create_purchase_order":
			asked[words[1]] = true
			buys(words[1], words[0], strings.TrimPrefix(command, name+" ")+" ")
		case name == "pay_supplier_invoice":
			all = append(all, command+" amount_minor="+strings.TrimRight(behind(words, "pays"), ","))
		default:
			all = append(all, command)
		}
	}
	return all
}

// TestALiteralAgentDoesNotStarve: what the digest says is enough to keep paper on the shelf and parcels going out.
func TestALiteralAgentDoesNotStarve(t *testing.T) {
	t.Parallel()
	const tokensPerDay = 6000
	p := platentest.Start(t)
	for _, seed := range []int64{1, 2, 3} {
		s := p.Sandbox(t, platentest.Options{Preset: "starter", Seed: &seed})
		l := literal{newAgent(t, p.Origin, s.OfficeKey)}
		suppliers, shipped := l.suppliers(), 0
		said, _ := l.call("advance_time", row{"minutes": 1})
		first := strings.Fields(said)[0]
		for {
			lines := strings.Split(said, "\n")
			last := strings.Fields(lines[0])[0]
			if days(first, last) >= played {
				break
			}
			all := append(l.commands(lines[1:], suppliers), "advance_time until=idle_press max_minutes=240")
			all = all[max(0, len(all)-maxCommands):]
			text, _ := l.call("do", row{"commands": all, "stop_on_error": false})
			if days(first, last) >= played/2 {
				shipped += strings.Count(text, " ok create_factory_shipment ")
			}
			if said = strings.Join(after(text, "advance_time"), "\n"); said == "" {
				t.Fatalf("seed %d: on %s time does not pass: %s", seed, last, text)
			}
		}
		total := l.written + l.read
		report(l.agent, seed, "the digest, word for word")
		if shipped < played/2 {
			t.Errorf("seed %d: in the second half of %d days %d parcels went out", seed, played, shipped)
		}
		if total > tokensPerDay*played {
			t.Errorf("seed %d: a day took %d tokens", seed, total/played)
		}
	}
}

package tokens

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// byLines plays with lines and commands together, and looks a few times a day.
type byLines struct {
	*agent
	*rules

	every int    // minutes between two looks, at most
	until string // what ends the wait before that, "" for nothing
}

// maxCommands is how many commands a call takes.
const maxCommands = 20

// written is a command as a line.
func (c command) written() string {
	line := c.operation
	if c.id != "" {
		line += " " + c.id
	}
	for _, f := range c.fields {
		value := fmt.Sprint(f.value)
		switch v := f.value.(type) {
		case []string:
			value = strings.Join(v, ",")
		case []map[string]any:
			raw, _ := json.Marshal(v)
			value = string(raw)
		}
		line += " " + f.name + "=" + value
	}
	return line
}

// do performs lines, in as many calls as that takes.
func (b *byLines) do(lines ...string) string {
	var said []string
	for len(lines) > 0 {
		n := min(len(lines), maxCommands)
		text, _ := b.call("do", row{"commands": lines[:n], "stop_on_error": false})
		said, lines = append(said, text), lines[n:]
	}
	return strings.Join(said, "\n")
}

func whole(text string) int64 {
	n, _ := strconv.ParseInt(strings.TrimRight(text, ","), 10, 64)
	return n
}

// table reads the rows of a list by their heads.
func table(lines []string) []map[string]string {
	if len(lines) == 0 {
		return nil
	}
	var all []map[string]string
	heads := strings.Split(lines[0], "|")
	for _, line := range lines[1:] {
		cells := strings.Split(line, "|")
		if len(cells) != len(heads) {
			break
		}
		one := map[string]string{}
		for i, head := range heads {
			one[head] = cells[i]
		}
		all = append(all, one)
	}
	return all
}

// after is the lines behind that of a command.
func after(said, operation string) []string {
	_, rest, _ := strings.Cut(said, " ok "+operation+"\n")
	return strings.Split(rest, "\n")
}

func (b *byLines) begin() {
	b.rules = newRules()
	said := b.do("list_factory_products", "list_presses")
	for _, r := range table(after(said, "list_factory_products")) {
		b.products[r["sku"]] = product{r["paper_sku"], whole(r["sheets_per_unit"]), whole(r["ink_units_per_can"]),
			whole(r["plates_per_run"]), whole(r["finishing_minutes"])}
	}
	for _, r := range table(after(said, "list_presses")) {
		b.presses = append(b.presses, press{r["id"], whole(r["make_ready_minutes"]), whole(r["make_ready_sheets"]),
			whole(r["sheets_per_hour"]), r["uses_plates"] == "true"})
	}
}

// behind is the word after another one.
func behind(words []string, word string) string {
	for i := range words[:len(words)-1] {
		if words[i] == word {
			return words[i+1]
		}
	}
	return ""
}

// look reads the stock and what waits from the answer to do, nil for one in which no time has
// passed.
func look(said string) *company {
	c := &company{stock: map[string]item{}}
	for _, r := range table(after(said, "list_stock_items")) {
		c.stock[r["sku"]] = item{whole(r["on_hand"]), whole(r["reorder_point"]), whole(r["reorder_quantity"])}
	}
	if !strings.Contains(said, " ok advance_time") {
		return nil
	}
	for i, line := range after(said, "advance_time") {
		command, about, _ := strings.Cut(line, " # ")
		w := strings.Fields(command)
		if at := strings.LastIndexAny(command, " ="); about != "" && at > 0 {
			w = append([]string{w[0], command[at+1:]}, strings.Fields(about)...)
		}
		if i == 0 {
			hours, minutes, _ := strings.Cut(w[1], ":")
			c.date, c.minute, c.cash = w[0], (whole(hours)-8)*60+whole(minutes), whole(behind(
				strings.Fields(strings.ReplaceAll(line, "|", " ")), "cash_minor"))
			continue
		}
		switch w[0] {
		case "accept_sales_order":
			c.offers = append(c.offers, offer{w[1], w[3], behind(w, "due"), behind(w, "by"), whole(w[2])})
		case "accept_contract_lot":
			c.lots = append(c.lots, w[1])
		case "start_print_run":
			c.print = append(c.print, job{w[1], w[3], behind(w, "due"), whole(w[2])})
		case "create_factory_shipment":
			c.ready = append(c.ready, w[1])
		case "create_factory_goods_receipt":
			one := truck{w[1], map[string]int64{}}
			for at := 3; at+1 < len(w); at++ {
				if quantity := whole(w[at]); quantity > 0 && strings.HasPrefix(w[at+1], "mat_") {
					one.loads[strings.TrimRight(w[at+1], ",")] = quantity
				}
			}
			c.trucks = append(c.trucks, one)
		case "press":
			if w[2] == "idle" {
				c.idle = append(c.idle, w[1])
			}
		case "create_purchase_order":
			c.wishes = append(c.wishes, wish{w[1], w[3], whole(w[2])})
		case "approve_purchase_order":
			c.purchaseOrders = append(c.purchaseOrders, w[1])
		case "approve_requisition":
			c.requisitions = append(c.requisitions, w[1])
		case "pay_supplier_invoice":
			c.bills = append(c.bills, bill{w[1], behind(w, "due"), behind(w, "until"), whole(behind(w, "pays"))})
		case "run_payroll":
			c.weeks = append(c.weeks, w[1])
		}
	}
	return c
}

func (b *byLines) play(end int) {
	b.begin()
	said := b.do("list_stock_items kind=material", "advance_time minutes=1")
	first := look(said).date
	for {
		c := look(said)
		if c == nil {
			b.t.Fatalf("time does not pass: %s", said)
		}
		minute := int(days(first, c.date)*dayMinutes + c.minute)
		if minute >= end*dayMinutes {
			return
		}
		var lines []string
		for _, command := range b.commands(c) {
			lines = append(lines, command.written())
		}
		step := min(b.every, end*dayMinutes-minute)
		wait := "advance_time minutes=" + strconv.Itoa(step)
		if b.until != "" {
			wait = "advance_time until=" + b.until + " max_minutes=" + strconv.Itoa(step)
		}
		said = b.do(append(lines, "list_stock_items kind=material", wait)...)
	}
}

package browser_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"platen/platentest"
)

// records are the pages of records that are looked at, with a text of each trail.
var records = []struct{ name, list, text string }{
	{"order", "/office/sales-orders?status=paid", "Print run"},
	{"work-order", "/factory/work-orders?status=shipped", "Invoice"},
	{"run", "/factory/print-runs?status=completed", "Work order"},
	{"bill", "/office/supplier-invoices?kind=materials", "Truck"},
	{"employee", "/office/employees?role=operator", "Timesheet"},
	{"story", "/sandbox/lore-events", ""},
}

// lived is a company that has been paid by a customer, has bought paper and paid wages.
func lived(t *testing.T, p *platentest.Platen) *company {
	t.Helper()
	c := found(t, p, platentest.Options{Preset: "starter", Clock: "manual"})
	for range 8 {
		c.accept()
		for range 3 {
			c.print()
			c.tick(160)
		}
		for _, w := range c.list("/factory/work-orders?status=ready") {
			c.must(http.MethodPost, "/factory/shipments", record{"work_order_id": w["id"]})
		}
	}
	return c
}

// TestARecordIsFieldsAndTheirMeaningAndATrail: units, meanings, the way through both systems, the
// events and at last the JSON, with links from each to the next record.
func TestARecordIsFieldsAndTheirMeaningAndATrail(t *testing.T) {
	t.Parallel()
	p := shared()
	c := lived(t, p)
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console")
	x.shows(".link", "Live")
	orders := c.list("/office/sales-orders?status=paid")
	paid := slices.IndexFunc(orders, func(o record) bool { return o["bridged_work_order_id"] != nil })
	if paid < 0 {
		t.Fatal("no order was printed and paid")
	}
	order := orders[paid]
	x.goTo("/console/office/sales-orders/" + text(order, "number")) // as it is on paper
	x.shows(".fields", " XTS")
	x.shows(".strip .facts", "Total")
	x.shows(".strip .facts", "Due on")
	x.until(`!document.querySelector('.means') && ![...document.querySelectorAll('.fields dt')].some(e =>
		e.textContent === 'Customer name')`)
	x.click(".rec-fields .chip")
	x.shows(".fields .means", "The date by which the customer wants the goods.")
	x.shows(".fields dt code", "total_minor")
	x.shows(".more-fields", "empty or system fields")
	x.click(".more-fields")
	x.shows(".fields dt", "Changed at")
	x.click(".rec-fields .chip")
	x.until(`!document.querySelector('.means')`)
	for _, kind := range []string{
		"Sales order", "Work order", "Print run", "Shipment", "Billed shipment", "Invoice", "Payment",
	} {
		x.shows(".story li", kind)
	}
	x.unfoldsFeed()
	x.shows(".rec-events", "office.sales_order.accepted")
	x.click(".rec-wire summary")
	x.shows(".rec-wire pre a", text(order, "customer_id"))
	x.click(".story li:nth-child(3) a") // the run
	x.until(`location.pathname.startsWith('/console/factory/print-runs/pr_')`)
	x.shows(".story [aria-current]", "Print run")
	x.shows(".fields .tbl a", text(c.list("/factory/work-orders?status=shipped")[0], "number")[:3])
	for n, page := range records {
		rows := c.list(page.list)
		if len(rows) == 0 {
			t.Fatalf("there is no %s", page.name)
		}
		list, _, _ := strings.Cut(strings.Replace(page.list, "/sandbox", "/world", 1), "?")
		x.goTo("/console" + list + "/" + text(rows[0], "id"))
		x.shows(".fields dt", "")
		if page.text != "" {
			x.shows(".story", page.text)
		}
		for _, l := range looksOf(n) {
			x.look(l)
			x.accessible(page.name + " " + l.String())
			x.shot("record-" + page.name + "-" + l.String())
		}
		x.look(looks[0])
	}
}

// unfoldsFeed has the page read the whole feed, unless it holds it.
func (x *tab) unfoldsFeed() {
	x.Helper()
	x.until(`document.querySelector('#rec-events') && (document.querySelector('.older-events button')?.click(), true)`)
}

// TestTheStateOfARecordIsNeverOutOfSight: the column of the status is inside of its card at every
// width, beside an open record too.
func TestTheStateOfARecordIsNeverOutOfSight(t *testing.T) {
	t.Parallel()
	p := shared()
	c := busy(t, p)
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console/office/sales-orders")
	order := c.list("/office/sales-orders")[0]
	for _, path := range []string{"/console/office/sales-orders", "/console/factory/work-orders",
		"/console/office/sales-orders/" + text(order, "id")} {
		x.goTo(path)
		for _, width := range []int64{1440, 1180, 1024, 768, 390} {
			x.look(look{size: size{strconv.FormatInt(width, 10), width, 900}})
			x.until(`(all => all.length > 0 && all.every(e => {
				const card = e.closest('.card').getBoundingClientRect(), own = e.getBoundingClientRect();
				return own.left >= card.left && own.right <= card.right;
			}))([...document.querySelectorAll('main .pill')].filter(e => e.checkVisibility()))`)
		}
	}
	x.click(".rec-back") // on a phone the record takes the place of the list
	x.shows("tr[data-row]", text(order, "number"))
}

// TestAnAddressOpensWhatItNames: a row has an address, which opens it anew too, with a title that names it; Back closes
// it.
func TestAnAddressOpensWhatItNames(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "manual", Clock: "manual"})
	c.accept()
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console")
	for _, one := range []struct{ page, row, opened, title string }{
		{"/console/requests", "tr[data-row]", "tr.under", `^[A-Z]+ /.* 20\d `},
		{"/console/events", ".feed button[data-row]", ".ev-body", `^[a-z_.]+ .* `},
		{"/console/office/sales-orders", "tr[data-row]", ".detail .rec-b", `^SO-\d+ `},
	} {
		x.goTo(one.page)
		x.click(one.row)
		x.shows(one.opened, "")
		address := eval[string](x, `location.pathname`)
		titled := `/` + strings.ReplaceAll(one.title, "/", `\/`) + `· Platen$/.test(document.title)`
		x.until(titled)
		x.visit(address)
		x.shows(one.opened, "")
		x.until(titled)
		x.until(`document.querySelectorAll('` + one.row + `').length > 1`)
		x.goTo(one.page)
		x.shows(one.row, "")
		x.click(one.row)
		x.shows(one.opened, "")
		eval[any](x, `history.back()`)
		x.until(`location.pathname === ` + quote(one.page) + ` && !document.querySelector(` + quote(one.opened) + `)`)
	}
}

// TestIdsInEventsAndRequestsAreLinks: in both, the record that it is about and the ids in the JSON.
func TestIdsInEventsAndRequestsAreLinks(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "manual", Clock: "manual"})
	order := c.list("/office/sales-orders?status=received")[0]
	id := text(order, "id")
	page := "/console/office/sales-orders/" + id
	c.must(http.MethodPost, "/office/sales-orders/"+id+"/accept", nil)
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console/events")
	const row = ".feed button[data-curl]"
	x.shows(row, "accepted")
	x.until(`[...document.querySelectorAll('` + row +
		`')].find(e => e.textContent.includes('accepted')).click() ?? true`)
	x.shows(".ev-body pre a", id)
	x.accessible("an opened event")
	x.click(".ev-record a")
	x.until(`location.pathname === ` + quote(page))
	x.shows(".detail h2", text(order, "number"))
	x.goTo("/console/requests")
	x.shows("tr[data-row]", "/accept")
	x.until(`[...document.querySelectorAll('tr[data-row]')]
		.find(e => e.textContent.includes('/accept')).click() ?? true`)
	x.shows("tr.under dd a", text(order, "number"))
	x.shows("tr.under pre a", id)
	x.click("tr.under dd .ref-link")
	x.until(`location.pathname === ` + quote(page))
}

// TestAnOpenRecordIsMarkedAndSaysWhatComesNext: its row is in view with a mark, and its next request is one click away.
func TestAnOpenRecordIsMarkedAndSaysWhatComesNext(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "starter", Clock: "manual"})
	for range 20 {
		c.tick(480)
	}
	orders := c.list("/office/sales-orders?limit=100")
	oldest := orders[len(orders)-1]
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console/office/sales-orders/"+text(oldest, "id"))
	x.shows("tr[aria-selected=true]", text(oldest, "number"))
	x.until(`(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(
		document.querySelector('tr[aria-selected=true]').getBoundingClientRect())`)
	waiting := c.list("/office/sales-orders?status=received")[0]
	x.goTo("/console/office/sales-orders/" + text(waiting, "id"))
	x.shows(".next-step", "Accept")
	x.inEveryLook(".strip", "an order that waits", "record-next")
	x.click(".next-step .mend button:nth-of-type(1)")
	x.shows(".strip .next-step", "Print")
	if status := text(c.must(http.MethodGet, "/office/sales-orders/"+text(waiting, "id"), nil), "status"); status ==
		"received" {
		t.Error("after one click the order is still not accepted")
	}
}

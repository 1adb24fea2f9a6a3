package browser_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"platen/platentest"
)

// TestTheJourneyFromTheLandingPage makes a sandbox in the browser, works with it from
// another terminal, and watches: the keys, the opening orders, an acceptance, the way to
// the money, missions, deliveries and the extension.
func TestTheJourneyFromTheLandingPage(t *testing.T) {
	t.Parallel()
	// The window of the extension is open from the beginning.
	p := platentest.Start(t, private, map[string]string{"extension-window": "30m"})
	x := open(t, p.Origin, looks[0])
	x.visit("/")
	x.shows("#progress button:enabled", "Create a sandbox")
	x.click("input[value=manual]")
	x.click("#progress button")
	x.shows(".key.factory", "lab_fac_")
	c := x.other(p)
	x.click(".key.office .key-v .btn")
	x.shows(".toast", "Head Office key copied")
	x.accessible("keys, shown once")
	x.shot("keys-once")
	x.click("#saved")
	x.shows(".link", "Live")
	x.shows(".card", "Orders to answer")

	orders := c.list("/office/sales-orders?status=received")
	order := orders[len(orders)-1]
	x.goTo("/console/bridge")
	x.shows(".slip.office", text(order, "number"))
	for i, one := range slices.Backward(orders) {
		c.must(http.MethodPost, "/office/sales-orders/"+text(one, "id")+"/accept", nil)
		x.until(fmt.Sprintf(`[...document.querySelectorAll('.line.gap')].filter(e => e.textContent.includes('no work `+
			`order')).length == %d`, len(orders)-i))
	}
	work := c.must(http.MethodPost, "/factory/work-orders",
		record{"sku": order["sku"], "quantity": order["quantity"], "reference": order["id"]})
	x.shows(".line.joined", "reference")
	x.shows(".slip.factory", text(work, "number"))
	// With overs enough for any spoilage, or the run may end short.
	c.must(http.MethodPost, "/factory/print-runs",
		record{"work_order_id": work["id"], "press_id": "prs_digital", "overs_pct": 20})
	x.shows(".slip.factory .pill", "printing")
	c.tick(480)
	x.shows(".slip.factory .pill", "ready")
	parcel := c.must(http.MethodPost, "/factory/shipments", record{"work_order_id": work["id"]})
	x.shows(".line.gap", "not billed")
	bill := c.must(http.MethodPost, "/office/shipments",
		record{"sales_order_id": order["id"], "factory_shipment_ref": parcel["id"]})
	invoice, _ := bill["invoice"].(record)
	x.shows(".slip.office", text(invoice, "number"))
	x.shows(".line.joined", "factory_shipment_ref")
	x.shot("journey-bridge")
	for range 14 {
		if text(c.must(http.MethodGet, "/office/customer-invoices/"+text(invoice, "id"), nil), "status") == "paid" {
			break
		}
		c.tick(480)
	}
	x.unfolds("main > .btn.plain") // finished strands are folded away
	x.shows(".strand", "paid")

	x.goTo("/console/missions")
	x.shows(".mission.completed", "Carry your first order")

	x.subscribes(c)
	x.extends()
}

// TestWhatIsLeftWhenTheTimeIsOver: everything can be read, and nothing done.
func TestWhatIsLeftWhenTheTimeIsOver(t *testing.T) {
	t.Parallel()
	p := platentest.Start(t, map[string]string{"sandbox-duration": "10s"})
	c := found(t, p, platentest.Options{Preset: "manual"})
	x := open(t, p.Origin, looks[0], "423")
	x.enter(c.Sandbox, "/console") // on a slow machine the time is over by then
	for text(c.must(http.MethodGet, "/sandbox", nil), "status") == "active" {
		second()
	}
	x.shows("[data-banner=expired]", "423")
	x.shows("#attention", "How it came to this")
	x.shows(".attention li:last-child", "The time of the sandbox is over")
	x.shot("journey-expired-overview")
	x.goTo("/console/webhooks")
	x.shows("[data-banner=expired]", "423")
	x.shows(".title .btn.primary:disabled", "Add a webhook")
	x.goTo("/console/office/sales-orders")
	x.shows(".tbl", "SO-10")
	x.shot("journey-expired")
}

// other is the terminal beside the browser: it has the keys that were copied.
func (x *tab) other(p *platentest.Platen) *company {
	x.Helper()
	keys := eval[[]string](x, `[...document.querySelectorAll('.key-v code')].map(e => e.textContent)`)
	return &company{Sandbox: &platentest.Sandbox{BaseURL: p.BaseURL, OfficeKey: keys[0], FactoryKey: keys[1]}, TB: x.TB}
}

// subscribes makes a webhook in the browser and sees what is sent to it.
func (x *tab) subscribes(c *company) {
	x.Helper()
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	x.Cleanup(receiver.Close)
	x.goTo("/console/webhooks")
	x.click(".title .btn.primary")
	x.fill("input[name=url]", receiver.URL+"/hooks")
	x.click("form .btn.primary")
	x.shows(".key.sandbox code", "whsec_")
	x.click("#send-test")
	x.shows(".problem.ok", "Responded with 200")
	x.shows(".title .pill", "active")
	c.must(http.MethodPost, "/factory/work-orders", record{"sku": "prd_notebook", "quantity": 5})
	x.shows(".tbl", "factory.work_order.created")
	x.shows(".tbl .pill", "delivered")
	x.signs(eval[string](x, `document.querySelector('.key.sandbox code').textContent`))
	x.accessible("a webhook")
	x.shot("journey-webhook")
}

// signedSample is the curl that the page makes.
var signedSample = regexp.MustCompile(
	`(?s)'webhook-id: (.+?)'.*'webhook-timestamp: (\d+)'.*'webhook-signature: (v1,.+?)'.*--data-raw '(.+)'`)

// signs lets the page sign a sample, and then judge it: as it is, and with a
// space too many.
func (x *tab) signs(secret string) {
	x.Helper()
	x.click("#sign-sample")
	x.shows(".code", "webhook-signature: v1,")
	sample := signedSample.FindStringSubmatch(eval[string](x, `[...document.querySelectorAll('.code pre')].map(e => `+
		`e.textContent).find(t => t.includes('webhook-signature'))`))
	if sample == nil {
		x.Fatal("the page has no signed sample")
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		x.Fatal(err)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(sample[1] + "." + sample[2] + "." + sample[4]))
	if want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)); sample[3] != want {
		x.Errorf("the page signs %s, want %s", sample[3], want)
	}
	x.click(".verifier summary")
	x.fill("input[name=v-id]", sample[1])
	x.fill("input[name=v-timestamp]", sample[2])
	x.fill("input[name=v-signature]", "v1,AAAA "+sample[3])
	x.fill("textarea[name=v-body]", sample[4]+" ")
	x.click("#check")
	x.shows("#verdict code", "body_ending_changed")
	x.shot("signature-invalid")
	x.fill("textarea[name=v-body]", sample[4])
	x.click("#check")
	x.shows("#verdict.ok", "The signature is valid")
}

// extends asks for more time.
func (x *tab) extends() {
	x.Helper()
	x.goTo("/console/session")
	x.shows(".lease", "left")
	x.shows(".card", "2 left")
	x.click("#extend")
	x.shows(".toast", "Extended")
	x.shows(".card", "1 left")
}

// fill types a text into a field.
func (x *tab) fill(selector, value string) {
	x.Helper()
	eval[any](x, fmt.Sprintf(`(() => { const e = document.querySelector(%s); e.value = %s; e.dispatchEvent(new `+
		`Event('input', { bubbles: true })); })()`, quote(selector), quote(value)))
}

// TestTheKeyboardGoesEverywhere walks through the console without a mouse.
func TestTheKeyboardGoesEverywhere(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "manual", Clock: "manual"})
	c.list("/office/sales-orders")
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console")
	x.shows(".feed li", "")
	for _, to := range []struct{ key, title string }{
		{"e", "Events"}, {"m", "Missions"}, {"w", "Webhooks"}, {"r", "Requests"}, {"b", "Bridge"}, {"h", "Head Office"},
		{"f", "Factory"}, {"p", "Presses"}, {"i", "Faults"}, {"t", "Checkpoints"},
	} {
		x.goes(to.key)
		x.shows("h1", to.title)
	}
	x.goes("h")
	x.shows("tr[data-row]", "SO-1003")
	x.press("j")
	x.press("j")
	x.until(`document.activeElement.textContent.includes('SO-1002')`)
	x.press("k")
	x.until(`document.activeElement.textContent.includes('SO-1003')`)
	x.press("c")
	x.shows(".toast", "curl copied")
	x.press("\r")
	x.shows(".detail", "SO-1003")
	x.press("/")
	x.until(`document.activeElement.matches('[data-filter]')`)
	eval[any](x, `document.activeElement.select()`) // the protocol types the key though the page has taken it
	x.press("lumen")
	x.until(`document.querySelectorAll('tr[data-row]').length === 1`)
	x.press("\x1b")
	x.until(`document.querySelectorAll('tr[data-row]').length > 1 && document.activeElement === document.body`)
	x.press("g")
	x.press("e")
	x.shows(".feed li", "")
	x.press("p")
	x.shows(".card-h .btn", "Resume")
	x.press("?")
	x.shows("[role=dialog]", "Keyboard")
	x.accessible("the list of keys")
	x.press("\x1b")
	x.until(`!document.querySelector('[role=dialog]')`)
}

// TestTheConsoleTakesTheKeysThatItIsOpenedWith, as platen open does: they are out of the
// address before a request, and they are taken once.
func TestTheConsoleTakesTheKeysThatItIsOpenedWith(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "manual", Clock: "manual"})
	x := open(t, p.Origin, looks[0])
	x.visit("/console#" + c.OfficeKey + "&" + c.FactoryKey)
	x.shows(".link", "Live")
	if s := x.session(); s.OfficeKey != c.OfficeKey || s.FactoryKey != c.FactoryKey {
		t.Error("the console has other keys")
	}
	if at := eval[string](x, `location.href`); at != p.Origin+"/console" {
		t.Error("the address is not that of the console alone") // which may hold a key
	}
	eval[any](x, `sessionStorage.removeItem('platen.session')`)
	x.visit("/console")
	x.shows("h1", "Which sandbox?")
	if eval[string](x, `document.getElementById('paste').value`) != "" {
		t.Error("the keys come back")
	}
	x.quiet()
}

// TestALinkWithKeysAsksBeforeTheTabLeaves: the keys of a tab may be nowhere else, and a stranger can send a link.
func TestALinkWithKeysAsksBeforeTheTabLeaves(t *testing.T) {
	t.Parallel()
	p := shared()
	own := found(t, p, platentest.Options{Preset: "starter", Clock: "manual"})
	other := found(t, p, platentest.Options{Preset: "manual", Clock: "manual"})
	link := "/console#" + other.OfficeKey + "&" + other.FactoryKey
	x := open(t, p.Origin, looks[0], "401 (Unauthorized)") // of the link that opens nothing
	x.enter(own.Sandbox, "/console")
	x.shows(".link", "Live")
	keeps := func(s *platentest.Sandbox) {
		t.Helper()
		if got := x.session(); got.OfficeKey != s.OfficeKey || got.FactoryKey != s.FactoryKey {
			t.Error("the tab has other keys")
		}
		if at := eval[string](x, `location.href`); at != p.Origin+"/console" {
			t.Error("the address is not that of the console alone") // which may hold a key
		}
	}
	for i, l := range looksOf(0) {
		x.look(l)
		x.visit("/docs/")
		x.visit(link)
		x.shows("dialog[open] h2", "Open the sandbox of this link?")
		x.until(`document.querySelector('.link').textContent.includes('Live') &&
			document.querySelector('dialog[open] b').textContent !== 'another sandbox'`)
		x.accessible("the question of a link")
		x.shot("linked-" + l.String())
		keeps(own.Sandbox)
		for _, a := range x.asked() {
			if strings.Contains(a, other.OfficeKey) {
				t.Error("a key is in an address")
			}
		}
		if i%2 == 0 {
			x.click("#sure-no")
		} else {
			x.press("\x1b")
		}
		x.until(`!document.querySelector('dialog[open]')`)
		keeps(own.Sandbox)
	}
	x.visit("/docs/")
	x.visit("/console#" + own.OfficeKey) // the tab has it: nothing is asked, and the other key stays
	x.shows(".link", "Live")
	x.until(`!document.querySelector('dialog[open]')`)
	keeps(own.Sandbox)

	x.visit("/docs/")
	x.visit("/console#lab_off_" + strings.Repeat("x", 43)) // it opens nothing
	x.click("#sure-yes")
	x.shows(".toast", "The link was not opened")
	keeps(own.Sandbox)

	x.visit("/docs/")
	x.visit(link)
	x.click("#sure-yes")
	x.until(`JSON.parse(sessionStorage.getItem('platen.session')).office_key === ` + quote(other.OfficeKey))
	x.shows(".link", "Live")
	keeps(other.Sandbox)
	x.goTo("/console/session") // and the way back
	x.shows("main", own.ID)
	x.quiet()
}

// TestANewTabIsInTheSandboxOfTheOthers: a page that opens in a new tab has the keys of the only sandbox that is open,
// and after signing out lists those that are open. Signing out of a sandbox leaves it in every tab.
func TestANewTabIsInTheSandboxOfTheOthers(t *testing.T) {
	t.Parallel()
	p := shared()
	first := found(t, p, platentest.Options{Preset: "manual", Clock: "manual"})
	second := found(t, p, platentest.Options{Preset: "starter", Clock: "manual"})
	x := open(t, p.Origin, looks[0])
	x.enter(first.Sandbox, "/console")
	x.shows(".link", "Live")
	link := x.beside(t, looks[0])
	link.visit("/console/events")
	link.shows("h1", "Events")
	if s := link.session(); s.OfficeKey != first.OfficeKey || s.FactoryKey != first.FactoryKey {
		t.Error("the new tab has other keys")
	}

	docs := x.beside(t, looks[0])
	docs.visit("/docs/api/accept_sales_order")
	docs.shows(".code .filled", "lab_off_")

	link.enter(second.Sandbox, "/console")
	link.shows(".link", "Live")
	third := link.beside(t, looks[0])
	third.enter(found(t, p, platentest.Options{Preset: "manual", Clock: "manual"}).Sandbox, "/console/session")
	third.shows(".link", "Live")
	third.click("#sign-out")
	third.shows("h1", "Which sandbox?")
	third.shows("li", first.name())
	third.shows("li", second.name())
	third.accessible("a door with two sandboxes")
	third.shot("door-elsewhere")
	third.row(".checkpoints", second.name(), ".btn")
	third.shows(".link", "Live")

	third.goTo("/console/session")
	third.click("#sign-out")
	third.shows("h1", "Which sandbox?")
	link.shows("h1", "Which sandbox?")
	x.shows(".link", "Live")
	x.goTo("/console/session")
	x.click("#sign-out")
	docs.until(`!document.querySelector('.code .filled') && !sessionStorage.getItem('platen.session')`)
}

// TestAKeyNeverStandsInAnAddress types a key into every field of every page.
func TestAKeyNeverStandsInAnAddress(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "manual", Clock: "manual"})
	x := open(t, p.Origin, looks[0], "422", "400")
	x.enter(c.Sandbox, "/console")
	x.shows(".link", "Live")
	fields := 0
	for _, page := range shown {
		x.goTo(page.path)
		x.until(`document.querySelector('main h1')`)
		eval[any](x, `document.querySelector('.title .btn.primary:enabled')?.click()`)
		fields += eval[int](x, `(() => { const all = [...document.querySelectorAll('main input, main textarea')];
			for (const e of all) { e.value = `+quote(c.OfficeKey)+
			`; e.dispatchEvent(new Event('input', { bubbles: true })); e.form?.requestSubmit?.(); }
			return all.length; })()`)
	}
	if fields < 6 {
		t.Errorf("%d fields were found", fields)
	}
	key := regexp.MustCompile(`lab_(off|fac|grd)_`)
	for _, asked := range append(x.asked(), eval[string](x, `location.href`)) {
		if key.MatchString(asked) {
			t.Errorf("a key went into an address: %s", asked)
		}
		_, address, sent := strings.Cut(asked, " ")
		if !sent { // the page itself
			address = asked
		}
		if !strings.HasPrefix(address, p.Origin+"/") && !strings.HasPrefix(address, "data:") {
			t.Errorf("another host was asked: %s", asked)
		}
	}
}

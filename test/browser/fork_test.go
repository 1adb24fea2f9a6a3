package browser_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"platen/platentest"
)

// tabSession is the data that a tab keeps of a sandbox.
type tabSession struct {
	SandboxID  string `json:"sandbox_id"`
	OfficeKey  string `json:"office_key"`
	FactoryKey string `json:"factory_key"`
	ForkedFrom *struct {
		SandboxID string `json:"sandbox_id"`
		Seq       int    `json:"seq"`
	} `json:"forked_from"`
	Others []tabSession `json:"others"`
}

func (x *tab) session() tabSession {
	x.Helper()
	return eval[tabSession](x, `JSON.parse(sessionStorage.getItem('platen.session'))`)
}

// company is the sandbox that the tab is in, for the terminal beside it.
func (x *tab) company(p *platentest.Platen) *company {
	x.Helper()
	s := x.session()
	return &company{
		Sandbox: &platentest.Sandbox{
			BaseURL: p.BaseURL, ID: s.SandboxID, OfficeKey: s.OfficeKey, FactoryKey: s.FactoryKey,
		},
		TB: x.TB,
	}
}

// names gives the present moment a name in the console.
func (x *tab) names(label string) {
	x.Helper()
	x.fill("input[name=label]", label)
	x.click(".beside .btn:enabled")
}

// savesKeys goes on from the keys of a new sandbox to the page of its session.
func (x *tab) savesKeys() {
	x.Helper()
	x.shows(".key.factory", "lab_fac_")
	x.click("#saved")
	x.shows(".link", "Live")
	x.goTo("/console/session")
	x.shows(".lease", "left")
}

// ends opens the page that ends the sandbox.
func (x *tab) ends() {
	x.Helper()
	x.goTo("/console/session")
	x.shows("#end", "Start over")
}

// is reports whether a sandbox is there.
func (c *company) is() bool {
	c.Helper()
	return c.send(http.MethodGet, "/sandbox", nil).Status == http.StatusOK
}

// name is the name of a company in the console.
func (c *company) name() string {
	c.Helper()
	return text(c.must(http.MethodGet, "/sandbox", nil), "public_name")
}

// row presses a button in the row of a list that has a text.
func (x *tab) row(list, text, button string) {
	x.Helper()
	row := fmt.Sprintf(`[...document.querySelectorAll(%s)].find(e => e.textContent.includes(%s))`, quote(list+" li"),
		quote(text))
	x.until(row)
	x.until(fmt.Sprintf(`(b => b && !b.disabled && (b.focus(), b.click(), true))(%s.querySelector(%s))`, row,
		quote(button)))
}

// TestAForkIsMadeInTheConsole: a moment gets a name, a fork of it goes its own way and
// leads back, another begins again on the first morning, and the last is deleted.
func TestAForkIsMadeInTheConsole(t *testing.T) {
	t.Parallel()
	for _, l := range looksOf(0) {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			p := shared()
			old := found(t, p, platentest.Options{Preset: "manual", Clock: "manual"})
			old.tick(480)
			x := open(t, p.Origin, l, "409", "401")
			x.enter(old.Sandbox, "/console/checkpoints")
			x.shows(".checkpoints li", "Mon 7 Sep, 08:00, after event")
			x.names("before the rush")
			x.shows(".checkpoints li:first-child", "before the rush")
			x.shows(".checkpoints li:first-child", "Tue 8 Sep, 08:00, after event")
			x.accessible("checkpoints")
			x.shot("fork-checkpoints-" + l.String())

			x.names("before the rush")
			x.shows(".problem", "checkpoint_exists")
			x.shows(".problem p", "details.checkpoint_id")
			x.accessible("a name that is taken")
			x.shot("fork-taken-" + l.String())

			named := old.list("/sandbox/checkpoints")[0]
			old.tick(480)
			x.row(".checkpoints", "before the rush", ".btn:not(.delete)")
			x.shows("h1", "Your two keys")
			made := fmt.Sprintf("Fork of %s (%s) after event %v", old.name(), old.ID, named["seq"])
			x.shows("#made-of", made)
			x.shows(".key.office", "lab_off_")
			x.until(`document.activeElement.id === 'main'`)
			x.accessible("the keys of a fork")
			x.shot("fork-keys-" + l.String())
			x.savesKeys()
			x.shows("#origin", made)
			// A phone has no room for it.
			x.until(`document.querySelector('#is-fork').textContent === ` + quote("Fork of "+old.name()))
			x.accessible("a fork")
			x.shot("fork-session-" + l.String())
			fork := x.company(p)
			if fork.ID == old.ID || fork.OfficeKey == old.OfficeKey {
				t.Fatalf("the tab is still in %s", old.ID)
			}
			if minutes := workingMinutes(t, fork.clock()); minutes != 480 {
				t.Errorf("the fork is at %d minutes, not at those of the checkpoint", minutes)
			}

			x.click("#to-parent")
			x.shows(".toast", old.ID)
			x.until(`!document.querySelector('#origin, #is-fork') && document.activeElement.id === 'main'`)
			x.shows(".facts", "working day 3")
			x.shows(".checkpoints[aria-label^=Other]", made)
			x.accessible("the parent of a fork")
			x.shot("fork-parent-" + l.String())
			x.row(".checkpoints[aria-label^=Other]", fork.ID, ".btn")
			x.shows("#origin", made)
			old.must(http.MethodDelete, "/sandbox", nil)
			x.click("#to-parent")
			x.shows(".problem", "The sandbox "+old.ID+" is gone.")
			x.until(`!document.querySelector('#to-parent')`)
			x.shows("#origin", made)
			x.accessible("a fork without its parent")

			x.goesOn(p, fork, l)
		})
	}
}

// goesOn begins again in a fork, and deletes what comes of it.
func (x *tab) goesOn(p *platentest.Platen, fork *company, l look) {
	x.Helper()
	from := fmt.Sprintf("Fork of %s (%s)", fork.name(), fork.ID)
	x.click("#begin-again")
	x.shows("dialog[open] h2", "Start over?")
	x.until(`document.activeElement.id === 'sure-no'`)
	x.accessible("asked whether to begin again")
	x.shot("fork-begin-" + l.String())
	x.press("\x1b")
	x.until(`!document.querySelector('dialog') && document.activeElement.id === 'begin-again'`)
	if !fork.is() {
		x.Fatal("a question that was not answered deleted the sandbox")
	}
	x.click("#begin-again")
	x.click("#sure-yes")
	x.shows("#made-of", from+" after event")
	x.savesKeys()
	x.shows("#origin", from)
	x.until(`!document.querySelector('#to-parent, #others, #remains')`)
	again := x.company(p)
	if fork.is() || !again.is() {
		x.Errorf("after the new beginning the old sandbox is there: %v, the new one: %v", fork.is(), again.is())
	}
	if minutes := workingMinutes(x, again.clock()); minutes != 0 {
		x.Errorf("the first morning is at %d minutes", minutes)
	}

	x.goTo("/console/checkpoints")
	x.click("#fork-now")
	x.savesKeys()
	x.shows("#to-parent", "Back to the parent")
	x.click("#delete-sandbox")
	x.shows("dialog[open] p", "switches to "+again.ID)
	x.accessible("asked whether to delete a fork")
	x.shot("fork-delete-" + l.String())
	x.click("#sure-yes")
	x.shows(".toast", again.ID)
	x.shows(".facts", again.ID)
	x.until(`!document.querySelector('#others')`)

	x.goTo("/console/checkpoints")
	x.names("to be deleted")
	x.row(".checkpoints", "to be deleted", ".delete")
	x.shows(".delete", "Delete permanently")
	x.row(".checkpoints", "to be deleted", ".delete")
	x.until(`document.querySelectorAll('.checkpoints li').length === 1 && !document.querySelector('.delete')`)
	x.until(`document.activeElement.id === 'checkpoints'`)
	x.ends()
	x.click("#delete-sandbox")
	x.shows("dialog[open] p", "its keys stop working")
	x.click("#sure-yes")
	x.shows("#progress button:enabled", "Create a sandbox")
	if again.is() {
		x.Error("the sandbox was not deleted")
	}
	if kept := eval[string](x, `String(sessionStorage.getItem('platen.session'))`); strings.Contains(kept, "lab_") {
		x.Errorf("the tab still has keys: %s", kept)
	}
}

// TestWhatIsOverIsForkedAndBegunAgain: in a sandbox that can only be read no moment gets a
// name, but a fork of it goes on.
func TestWhatIsOverIsForkedAndBegunAgain(t *testing.T) {
	t.Parallel()
	for n, c := range []struct{ status, preset string }{{"bankrupt", "poor"}, {"expired", "manual"}} {
		t.Run(c.status, func(t *testing.T) {
			t.Parallel()
			settings := map[string]string{"sandbox-duration": "10s"}
			if c.status == "bankrupt" {
				settings = poor(t)
			}
			p := platentest.Start(t, settings)
			old := found(t, p, platentest.Options{Preset: c.preset, Clock: "manual"})
			if c.status == "bankrupt" {
				old.ruin()
			}
			for text(old.must(http.MethodGet, "/sandbox", nil), "status") != c.status {
				second()
			}
			l := looks[3-n]
			x := open(t, p.Origin, l)
			x.enter(old.Sandbox, "/console/checkpoints")
			x.shows("[data-banner="+c.status+"]", "423")
			x.shows(".beside .btn:disabled", "Add")
			x.shows("label", "the company is read-only")
			x.until(`document.querySelector('input[name=label]').disabled`)
			eval[any](x, `document.querySelector('#checkpoints').scrollIntoView()`)
			x.accessible("checkpoints of what is over")
			x.shot("fork-" + c.status + "-" + l.String())
			x.row(".checkpoints", "start", ".btn")
			x.savesKeys()
			x.shows("#origin", old.ID)
			if fork := x.company(p); fork.ID == old.ID || !fork.is() {
				t.Errorf("the tab is in %s", fork.ID)
			}
			x.click("#to-parent")
			x.shows(".facts", old.ID)
			x.shows("[data-banner="+c.status+"]", "423")
			x.click("#begin-again")
			x.click("#sure-yes")
			x.savesKeys()
			x.shows("#origin", old.ID)
			if old.is() {
				t.Error("the sandbox that was over is still there")
			}
		})
	}
}

// TestWherePlayersAreComparedNothingIsForked: the page says why.
func TestWherePlayersAreComparedNothingIsForked(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "agent_eval"})
	x := open(t, p.Origin, looks[2])
	x.enter(c.Sandbox, "/console/session")
	x.shows(".lease", "left")
	x.until(`!document.querySelector('#begin-again, #delete-sandbox, #clock-mode')`)
	x.goTo("/console/checkpoints")
	x.shows("#compared", "not_in_evaluation")
	x.shows("#compared", "checkpoints are hidden")
	x.until(`!document.querySelector('#fork-now, [id^=fork-chk]')`)
	x.until(`!document.querySelector('.checkpoints li')`)
	x.accessible("checkpoints where players are compared")
	x.shot("fork-compared-" + looks[2].String())
}

// TestAForkThatHasNoPlaceIsExplained beside the button, and takes nothing away.
func TestAForkThatHasNoPlaceIsExplained(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		settings map[string]string
		code     string
	}{
		"active": {map[string]string{"ip-active": "1"}, "ip_active_limit"},
		"full":   {map[string]string{"max-sandboxes": "1", "queue-length": "0"}, "queue_full"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := platentest.Start(t, c.settings)
			s := p.Sandbox(t, platentest.Options{Preset: "manual", Clock: "manual"})
			x := open(t, p.Origin, looks[0], "429", "503")
			x.enter(s, "/console/checkpoints")
			x.click("#fork-now")
			x.shows("[aria-labelledby=checkpoints] .problem", c.code)
			x.shows(".problem code", "req_")
			x.accessible("a fork without a place")
			x.shot("fork-" + name)
			x.ends()
			x.click("#begin-again")
			x.click("#sure-yes")
			x.shows("[aria-labelledby=end] .problem", c.code)
			if got := x.session(); got.SandboxID != s.ID || len(got.Others) != 0 {
				t.Errorf("the tab is in %s", got.SandboxID)
			}
			x.shows(".link", "Live")
		})
	}
}

// TestABeginningThatCannotDeleteSaysSo: the new keys are kept, and the old sandbox is one
// click away.
func TestABeginningThatCannotDeleteSaysSo(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "manual", Clock: "manual"})
	way := between(t, p)
	way.says(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodDelete {
			return false
		}
		w.WriteHeader(http.StatusBadGateway)
		return true
	})
	x := open(t, way.origin, looks[1], "502")
	x.enter(c.Sandbox, "/console/session")
	x.click("#begin-again")
	x.click("#sure-yes")
	x.savesKeys()
	x.shows("#remains", c.ID)
	x.accessible("a beginning that could not delete")
	x.shot("fork-remains-" + looks[1].String())
	x.click("#to-parent")
	x.shows(".facts", c.ID)
}

// TestAForkBringsAProofOfWork where a creation needs one.
func TestAForkBringsAProofOfWork(t *testing.T) {
	t.Parallel()
	p := platentest.Start(t, map[string]string{"pow-difficulty": "12"})
	x := begin(t, p, looks[0], "428")
	x.click("#progress button")
	x.savesKeys()
	before := x.session()
	x.goTo("/console/checkpoints")
	x.click("#fork-now")
	x.shows("#made-of", "("+before.SandboxID+")")
	if after := x.session(); after.SandboxID == before.SandboxID || len(after.Others) != 1 {
		t.Errorf("the tab went from %s to %s and keeps %d others", before.SandboxID, after.SandboxID, len(after.Others))
	}
}

// TestAMomentThatPassedIsForked from the event that wrote it, and at the opening of a day.
func TestAMomentThatPassedIsForked(t *testing.T) {
	t.Parallel()
	p := shared()
	old := found(t, p, platentest.Options{Preset: "manual", Clock: "manual"})
	old.must(http.MethodPost, "/office/sales-orders/SO-1001/accept", nil)
	accepted := old.list("/events?types=office.sales_order.accepted")[0]
	old.tick(480)
	old.tick(480)
	x := open(t, p.Origin, looks[0])
	x.enter(old.Sandbox, "/console/checkpoints")
	x.shows("#fork-day", "Fork the opening of a day")
	x.fill("#fork-day input", "2026-09-08")
	x.inEverySize("#fork-day", "a day to fork", "fork-day")
	x.click("#fork-day .btn:enabled")
	x.savesKeys()
	if minutes := workingMinutes(t, x.company(p).clock()); minutes != 480 {
		t.Errorf("the fork of a day is at %d minutes", minutes)
	}
	x.click("#to-parent")
	x.shows(".toast", old.ID)
	x.goTo("/console/events/" + text(accepted, "id"))
	x.inEverySize(".ev-record", "an event to fork", "fork-event")
	x.click("#fork-" + text(accepted, "id"))
	x.shows("h1", "Your two keys")
	x.shows("#made-of", "after event") // the last one of the same change
	x.accessible("the keys of a fork of an event")
	fork := x.company(p)
	if status := text(fork.must(http.MethodGet, "/office/sales-orders/SO-1001", nil), "status"); status != "accepted" {
		t.Errorf("after the event the order is %s", status)
	}
	if minutes := workingMinutes(t, fork.clock()); minutes != 0 {
		t.Errorf("the fork of an event of the first morning is at %d minutes", minutes)
	}
}

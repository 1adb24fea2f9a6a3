package browser_test

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"

	"platen/platentest"
)

// ctrl is the bit of that key in the modifiers of an event.
const ctrl = 2

// chord presses a letter with Ctrl.
func (x *tab) chord(key string) {
	x.Helper()
	for _, kind := range []input.DispatchKeyEventType{
		input.DispatchKeyEventTypeRawKeyDown, input.DispatchKeyEventTypeKeyUp,
	} {
		call(x, input.DispatchKeyEvent, input.DispatchKeyEventParams{
			Type: kind, Modifiers: ctrl, Key: key, Code: "Key" + strings.ToUpper(key),
		})
	}
}

// finds opens the palette and types into it.
func (x *tab) finds(query string) {
	x.Helper()
	x.chord("k")
	x.until(`document.activeElement?.matches('.finder input')`)
	x.press(query)
	x.until(`document.activeElement.value === ` + quote(query))
}

// TestThePaletteNeedsNoMouse: records by number, pages, docs and actions are found and opened with
// the keyboard alone, and the focus goes back to where it was.
func TestThePaletteNeedsNoMouse(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "manual", Clock: "manual"})
	orders := c.list("/office/sales-orders")
	order := orders[len(orders)-1]
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console")
	x.shows(".link", "Live")
	x.press("?")
	x.shows("[role=dialog] dt", "Ctrl")
	x.finds(text(order, "number")) // the list of keys makes way
	x.shows(".finder [aria-selected=true]", text(order, "number"))
	x.accessible("the palette")
	x.press("\t")
	x.until(`document.activeElement.matches('.finder input')`)
	x.press("\r")
	x.until(`location.pathname === ` + quote("/console/office/sales-orders/"+text(order, "id")) +
		` && !document.querySelector('.finder')`)
	x.shows(".detail h2", text(order, "number"))

	x.finds("webhooks")
	x.shows(".finder [aria-selected=true]", "Webhooks")
	x.press("\r")
	x.shows("h1", "Webhooks")

	x.press("/") // nothing to filter, and no harm
	x.finds("tick")
	x.shows(".finder [aria-selected=true]", "by an hour")
	x.chord("k")
	x.until(`!document.querySelector('.finder')`)
	x.finds("tick")
	x.press(kb.ArrowDown)
	x.shows(".finder [aria-selected=true]", "working day")
	x.until(`document.querySelector('.finder [aria-selected=true]').id ===
		document.activeElement.getAttribute('aria-activedescendant')`)
	x.shows(".inworld", "Mon 7 Sep")
	x.press("\r")
	x.shows(".toast", "event")
	x.shows(".inworld", "Tue 8 Sep")

	x.finds("press_busy")
	x.shows(".finder [role=option]", "Docs")
	x.press("\x1b")
	x.until(`!document.querySelector('.finder')`)
	x.finds("zzzz")
	x.shows(".finder", "Nothing is called that.")
	x.press("\x1b")
	for _, l := range looks {
		x.look(l)
		x.click("#find") // a phone has no keys
		x.shows(".finder [role=option]", "Overview")
		x.accessible("the palette " + l.String())
		x.shot("palette-" + l.String())
		x.press("\x1b")
		x.until(`!document.querySelector('.finder') && document.activeElement.id === 'find'`)
	}
	x.finds("press_busy")
	x.shows(".finder [role=option]", "Docs")
	x.press("\r")
	x.until(`location.pathname.startsWith('/docs/')`)
}

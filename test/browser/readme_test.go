package browser_test

import (
	"testing"
)

// TestThePicturesOfTheReadme makes them from a company at work; `make
// screenshots` keeps them.
func TestThePicturesOfTheReadme(t *testing.T) {
	t.Parallel()
	window := size{"readme", 1280, 800}
	light, dark := look{window, false}, look{window, true}
	p := shared()
	c := busy(t, p)
	x := open(t, p.Origin, light)
	x.visit("/")
	x.shows("#progress button:enabled", "Create a sandbox")
	x.shot("landing")
	x.enter(c.Sandbox, "/console/bridge")
	x.shows(".line.gap", "not billed")
	x.shot("bridge")
	for _, picture := range []struct{ name, path, ready string }{
		{"overview", "/console", ".needs li"}, {"presses", "/console/presses", ".run"},
	} {
		x.look(dark)
		x.goTo(picture.path)
		x.shows(picture.ready, "")
		x.shot(picture.name)
	}
	for name, l := range map[string]look{"light": light, "dark": dark} {
		x.look(l)
		x.goTo("/console")
		x.shows(".chart canvas", "")
		x.shows(".needs li", "")
		x.shotForLanding("overview-" + name + ".webp")
	}
}

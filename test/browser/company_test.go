package browser_test

import (
	"net/http"
	"testing"

	"platen/platentest"
	"platen/test/testclient"
)

// everyLook are all sizes in light and dark.
var everyLook = []look{
	{desktop, false}, {desktop, true}, {tablet, false}, {tablet, true}, {phone, false}, {phone, true},
}

// TestEveryPageOfEveryCompany keeps a picture of each page of companies of different ages, and of
// two that have ended. In a thorough run it is in every size and in light and dark.
func TestEveryPageOfEveryCompany(t *testing.T) {
	t.Parallel()
	ending := platentest.Start(t, poor(t), private)
	expiring := platentest.Start(t, private, map[string]string{"sandbox-duration": "20s"})
	for n, at := range []struct {
		name string
		make func(t *testing.T) (*platentest.Platen, *company)
	}{
		{"day-0", func(t *testing.T) (*platentest.Platen, *company) {
			return shared(), found(t, shared(), platentest.Options{Preset: "starter", Clock: "manual"})
		}},
		{"day-5", func(t *testing.T) (*platentest.Platen, *company) { return shared(), busy(t, shared()) }},
		{"day-20", func(t *testing.T) (*platentest.Platen, *company) {
			c := busy(t, shared())
			for range 15 {
				c.accept()
				c.order(1)
				c.print()
				c.tick(480)
				c.ship(1)
			}
			return shared(), c
		}},
		{"bankrupt", func(t *testing.T) (*platentest.Platen, *company) {
			c := found(t, ending, platentest.Options{Preset: "poor", Clock: "manual"})
			c.ruin()
			return ending, c
		}},
		{"expired", func(t *testing.T) (*platentest.Platen, *company) {
			c := found(t, expiring, platentest.Options{Preset: "manual", Clock: "manual"})
			c.accept()
			c.order(1)
			c.print()
			for text(c.must(http.MethodGet, "/sandbox", nil), "status") == "active" {
				second()
			}
			return expiring, c
		}},
	} {
		t.Run(at.name, func(t *testing.T) {
			t.Parallel()
			p, c := at.make(t)
			x := open(t, p.Origin, looks[0], "423")
			x.enter(c.Sandbox, "/console")
			link := "Live"
			if at.name == "expired" {
				link = "Its time is over"
			}
			x.shows(".link", link)
			for m, page := range shown {
				x.goTo(page.path)
				x.shows("h1", "")
				x.until(`!document.querySelector('main .skel')`)
				if n := eval[int](x, `document.querySelectorAll('tr.picked').length`); n > 0 {
					t.Errorf("%s of %s has %d rows picked, and none is open", page.name, at.name, n)
				}
				chosen := everyLook
				if !testclient.Thorough() {
					chosen = everyLook[(n+m)%len(everyLook):][:1]
				}
				for _, l := range chosen {
					x.look(l)
					if wide := eval[int](x, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
						t.Errorf("%s of %s is %d px too wide in %s", page.name, at.name, wide, l)
					}
					x.shot("company-" + at.name + "-" + page.name + "-" + l.String())
				}
			}
			x.quiet()
		})
	}
}

package browser_test

import (
	"strings"
	"testing"

	"platen/platentest"
)

func TestANewSandboxShowsItsKeysOnceAndThenItsCompany(t *testing.T) {
	p := platentest.Start(t)
	x := open(t, p.Origin, looks[0])
	x.visit("/")
	x.shows("#progress button:enabled", "Create a sandbox")
	x.click("#progress button")
	x.shows(".key.factory", "lab_fac_")
	office := eval[string](x, `document.querySelector('.key.office code').textContent`)
	if key := eval[string](x, `document.querySelector('.key.office .key-v code').textContent`); !strings.HasPrefix(key, "lab_off_") || len(key) != len("lab_off_")+43 {
		t.Errorf("the office key is shown as %q (%q)", key, office)
	}
	x.shot("dev-keys")
	x.click("#saved")
	x.shows(".link", "Live")
	x.shows(".feed li", "sales_order")
	x.shot("dev-overview")
}

package browser_test

import (
	"net/http"
	"strings"
	"testing"

	"platen/platentest"
	"platen/test/testclient"
)

// begin opens the landing page of a server.
func begin(t *testing.T, p *platentest.Platen, l look, expected ...string) *tab {
	t.Helper()
	x := open(t, p.Origin, l, expected...)
	x.visit("/")
	x.shows("#progress button:enabled", "Create a sandbox")
	return x
}

// seen checks and keeps how the landing page looks in one of its states.
func (x *tab) seen(name string, ls ...look) {
	x.Helper()
	for _, l := range ls {
		x.look(l)
		x.accessible(name + " " + l.String())
		x.shot(name + "-" + l.String())
	}
}

func TestTheLandingPageInEveryLook(t *testing.T) {
	t.Parallel()
	x := begin(t, shared(), looks[0])
	x.seen("landing", looksOf(0)...)
	x.click(`input[value=manual]`)
	x.shows("#twin", `"preset":"manual"`)
}

// TestAButtonToCopyCoversNoCommand of the landing page, on a phone and on a desk.
func TestAButtonToCopyCoversNoCommand(t *testing.T) {
	t.Parallel()
	x := begin(t, shared(), looks[0])
	for _, l := range []look{looks[0], looks[2]} {
		x.look(l)
		x.until(`document.querySelectorAll('.copyable > .copy').length > 8`)
		if covered := eval[[]string](x, `[...document.querySelectorAll('.copyable')].filter(block => {
			const button = block.querySelector('.copy').getBoundingClientRect();
			const text = document.createRange();
			text.selectNodeContents(block.querySelector('code'));
			return [...text.getClientRects()].some(r => r.top < button.bottom && r.bottom > button.top &&
				r.left < button.right && r.right > button.left);
		}).map(block => block.textContent)`); len(covered) > 0 {
			t.Errorf("%s: buttons cover %q", l, covered)
		}
	}
}

// TestFaultsAreChosenOnTheLandingPage: nothing goes wrong unless it is chosen, and each plan says
// what it does.
func TestFaultsAreChosenOnTheLandingPage(t *testing.T) {
	t.Parallel()
	p := shared()
	x := begin(t, p, looks[0])
	x.shows("#plan", "every request gets through")
	texts := map[string]bool{}
	for _, plan := range []string{"light", "moderate", "severe"} {
		x.chooses("select[name=faults]", plan)
		x.shows("#twin", `{"preset":"starter","faults":{"plan":"`+plan+`"}}`)
		texts[eval[string](x, `document.querySelector('#plan').textContent`)] = true
	}
	if len(texts) != 3 {
		t.Errorf("the plans say %v", texts)
	}
	x.seen("landing-faults", looksOf(0)...)
	x.click("#progress button")
	x.savesKeys()
	faults := x.company(p).must(http.MethodGet, "/sandbox", nil)["faults"]
	if plan, ok := faults.(map[string]any); !ok || plan["plan"] != "severe" {
		t.Errorf("the faults are %v", faults)
	}
}

func TestAProofOfWorkIsFoundBesideThePage(t *testing.T) {
	t.Parallel()
	x := begin(t, platentest.Start(t, map[string]string{"pow-difficulty": "16"}), looks[0], "428")
	x.click("#progress button")
	x.shows(".key.factory", "lab_fac_")
}

// TestTheProofIsOfTheTextOnTheWire compares the worker's SHA-256 with the
// browser's own, for texts of every length around the blocks' ends.
func TestTheProofIsOfTheTextOnTheWire(t *testing.T) {
	t.Parallel()
	x := begin(t, shared(), looks[0])
	wrong := eval[[]string](x, `(async () => {
		const { solve } = await import(
			document.querySelector('script[src*="landing.js"]').src.replace('landing/landing.js', 'lib/proof.js'));
		const never = new AbortController().signal, wrong = [];
		for (const length of [1, 40, 54, 55, 56, 62, 63, 64, 65, 118, 119, 120, 127, 128, 200]) {
			const challenge = 'x'.repeat(length), nonce = await solve(challenge, 10, never, () => {});
			const digest = new DataView(
				await crypto.subtle.digest('SHA-256', new TextEncoder().encode(challenge + nonce)));
			if (Math.clz32(digest.getUint32(0)) < 10) wrong.push(length + ' ' + nonce);
		}
		return wrong;
	})()`)
	if len(wrong) > 0 {
		t.Errorf("these are no proofs: %s", strings.Join(wrong, ", "))
	}
}

func TestAProofOfWorkShowsHowItGoesAndCanBeCancelled(t *testing.T) {
	t.Parallel()
	x := begin(t, platentest.Start(t, map[string]string{"pow-difficulty": "32"}), looks[1], "428")
	x.click("#progress button")
	x.shows(".wait dd", ",")
	x.seen("landing-proof", looks[1], looks[2])
	x.click(".wait button")
	x.shows("#progress button:enabled", "Create a sandbox")
}

func TestTheQueueShowsThePlaceAndGoesOnByItself(t *testing.T) {
	t.Parallel()
	p := platentest.Start(t, map[string]string{"max-sandboxes": "1"})
	x := begin(t, p, looks[0])
	taken := p.Sandbox(t, platentest.Options{})
	x.click("#progress button")
	x.shows(".wait .big", "1")
	x.seen("landing-queue", looks[0], looks[3])
	testclient.Request{Method: http.MethodDelete, URL: taken.BaseURL + "/sandbox", Key: taken.OfficeKey}.
		Send(t).Want(http.StatusOK, "")
	x.shows(".key.factory", "lab_fac_")
}

func TestAForfeitedPlaceIsExplained(t *testing.T) {
	t.Parallel()
	p := shared()
	way := between(t, p)
	way.says(func(w http.ResponseWriter, r *http.Request) bool {
		answer := func(status int, body string) bool {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(status)
			w.Write([]byte(`{"meta":{"simulation":true,"request_id":"req_0123456789abc","api_version":"2026-09"},` +
				body + `}`))
			return true
		}
		switch {
		case r.URL.Path == "/v1/sandboxes":
			return answer(http.StatusAccepted, `"data":{"poll":"/v1/queue/tkt_1","position":3,"eta_s":1}`)
		case strings.HasPrefix(r.URL.Path, "/v1/queue/"):
			return answer(http.StatusGone,
				`"error":{"code":"ticket_forfeited","message":"The place was given to the next.","retryable":false,`+
					`"hint":"Ask again for a sandbox.","docs_url":"`+p.Origin+`/docs/errors/ticket_forfeited"}`)
		}
		return false
	})
	x := open(t, way.origin, looks[2], "410")
	x.visit("/")
	x.shows("#progress button:enabled", "Create a sandbox")
	x.click("#progress button")
	x.shows(".problem", "ticket_forfeited")
	x.shows("#progress button:enabled", "Try again")
	x.seen("landing-forfeited", looks[2], looks[1])
}

// TestANewSandboxKeepsTheKeysOfTheOneBefore: the tab has both.
func TestANewSandboxKeepsTheKeysOfTheOneBefore(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{})
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console")
	x.shows(".link", "Live")
	x.visit("/")
	x.shows("#progress button:enabled", "Create a sandbox")
	x.click("#progress button")
	x.shows(".key.factory", "lab_fac_")
	if s := x.session(); len(s.Others) != 1 || s.Others[0].OfficeKey != c.OfficeKey || s.SandboxID == c.ID {
		t.Fatalf("the tab keeps %+v", s)
	}
	x.savesKeys()
	x.shows("[aria-label='Other sandboxes of this tab']", c.ID)
}

func TestLimitsAreExplainedWithWhenToTryAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		settings map[string]string
		code     string
	}{
		"active":     {map[string]string{"ip-active": "1"}, "ip_active_limit"},
		"creations":  {map[string]string{"ip-creations": "1"}, "ip_create_limit"},
		"queue-full": {map[string]string{"max-sandboxes": "1", "queue-length": "0"}, "queue_full"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := platentest.Start(t, c.settings)
			x := begin(t, p, looks[0], "429", "503")
			p.Sandbox(t, platentest.Options{})
			x.click("#progress button")
			x.shows(".problem", c.code)
			x.shows(".problem code", "req_")
			x.shows("#progress button", "gain")
			x.seen("landing-"+name, looks[0], looks[3])
		})
	}
}

func TestTheStatusPageSaysHowTheServerIs(t *testing.T) {
	t.Parallel()
	p := shared()
	found(t, p, platentest.Options{}).list("/office/sales-orders")
	x := open(t, p.Origin, looks[0])
	x.visit("/status")
	x.shows(".state", "All systems operational")
	x.shows("dd", "99 of 100 within")
	x.seen("status", looksOf(1)...)
}

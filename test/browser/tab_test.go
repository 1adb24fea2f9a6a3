package browser_test

import (
	"context"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"platen/platentest"
	"platen/test/testclient"
)

// patience is how long a page may take to show what is waited for: far beyond what
// it does on a loaded machine.
const patience = 4 * time.Minute

// glance is the pause between two looks at what is waited for. A look at each frame
// would keep the browser drawing frames in all of its pages.
const glance = 50 * time.Millisecond

//go:embed testdata/axe.min.js
var axe string

// chromium finds the browser, or says loudly that the suite says nothing.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{
		os.Getenv("PLATEN_CHROMIUM"), "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome",
	} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	if os.Getenv("PLATEN_TEST_ALL") != "" {
		t.Fatal("no Chromium on this machine, for example: apt-get install chromium-headless-shell")
	}
	t.Skip("SKIPPED: no Chromium on this machine: nothing is known about the pages")
	return ""
}

// process is the one browser of the suite: starting it takes longer than most
// tests.
var process struct {
	sync.Mutex
	ctx context.Context
}

func browser(t *testing.T) context.Context {
	t.Helper()
	path := chromium(t)
	name, _, _ := strings.Cut(t.Name(), "/")
	opened.Store(name, true)
	process.Lock()
	defer process.Unlock()
	if process.ctx != nil {
		return process.ctx
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox)
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stop := chromedp.NewContext(allocator)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start the browser: %v", err)
	}
	process.ctx = ctx //nolint:fatcontext // it is made once
	suite.Cleanup(stopAllocator)
	suite.Cleanup(stop)
	return ctx
}

// testsAtOnce is how many tests share the browser, unless the flag says otherwise:
// they mostly wait for pages, or for the end of a lease.
const testsAtOnce = 6

// quick are the tests that make test has time for: a page of each kind. make check has all.
var quick = []string{
	"TestTheJourneyFromTheLandingPage", "TestAnOrderIsAcceptedOnTheOverview",
	"TestEachGapHasTheRequestThatClosesIt", "TestTheDocsAreSearchedFromTheKeyboard",
}

// opened are the tests that have opened a page.
var opened sync.Map

func TestMain(m *testing.M) {
	flag.Parse()
	chosen := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { chosen[f.Name] = true })
	set := func(name, value string) {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	if !chosen["test.parallel"] {
		set("test.parallel", strconv.Itoa(testsAtOnce))
	}
	share := !testclient.Thorough() && !chosen["test.run"]
	if share {
		set("test.run", "^("+strings.Join(quick, "|")+")$")
	}
	code := m.Run()
	for _, name := range quick {
		if _, ok := opened.Load(name); share && process.ctx != nil && !ok {
			suite.Errorf("%s has opened no page: is it still called that?", name)
		}
	}
	os.Exit(suite.End(code))
}

// tab is one page in a browser context of its own. An error, an exception or a
// broken policy that it writes to the console fails the test, unless it was
// expected.
type tab struct {
	testing.TB
	ctx      context.Context
	origin   string
	expected []string

	mu       sync.Mutex
	wrong    []string
	requests []string
}

// size is that of a window, in CSS pixels.
type size struct {
	name          string
	width, height int64
}

var (
	desktop = size{"desktop", 1440, 960}
	phone   = size{"phone", 390, 844}
)

// look is how a page is looked at.
type look struct {
	size size
	dark bool
}

func (l look) String() string {
	if l.dark {
		return l.size.name + "-dark"
	}
	return l.size.name + "-light"
}

var looks = []look{{desktop, false}, {desktop, true}, {phone, false}, {phone, true}}

// looksOf are the looks of the nth page: each has another one, and a thorough run has
// all of them.
func looksOf(n int) []look {
	if testclient.Thorough() {
		return looks
	}
	return looks[n%len(looks):][:1]
}

// rarely reports whether the nth check of many that are alike is made: a third of them,
// and in a thorough run all.
func rarely(n int) bool { return n%3 == 0 || testclient.Thorough() }

// open opens an empty page that looks at a server.
func open(t *testing.T, origin string, l look, expected ...string) *tab {
	t.Helper()
	// The Go tool keeps results by the environment that tests read, and does not see what
	// TestMain reads: without this line a quick result is taken for a thorough one.
	testclient.Thorough()
	ctx, stop := chromedp.NewContext(browser(t), chromedp.WithNewBrowserContext())
	return (&tab{TB: t, ctx: ctx, origin: origin, expected: expected}).begin(l, stop)
}

// beside opens an empty page in the same browser.
func (x *tab) beside(t *testing.T, l look, expected ...string) *tab {
	t.Helper()
	ctx, stop := chromedp.NewContext(x.ctx)
	return (&tab{TB: t, ctx: ctx, origin: x.origin, expected: expected}).begin(l, stop)
}

// begin makes the tab, until the test ends.
func (x *tab) begin(l look, stop func()) *tab {
	x.Helper()
	// The first action makes the tab, which ends with the context of that action.
	if err := chromedp.Do(x.ctx, chromedp.Navigate("about:blank")); err != nil {
		x.Fatalf("open a page: %v", err)
	}
	x.Cleanup(func() {
		x.quiet()
		stop()
	})
	messages := chromedp.Console(x.ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.Type == chromedp.ConsoleError || m.IsException() {
				x.note(m.String() + thrownAt(m.Exception))
			}
		}
	}()
	if err := chromedp.Listen(x.ctx, x.heard); err != nil {
		x.Fatal(err)
	}
	call(x, network.Enable, network.EnableParams{})
	call(x, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	x.look(l)
	return x
}

// look changes how the page is looked at.
func (x *tab) look(l look) {
	x.Helper()
	theme := "light"
	if l.dark {
		theme = "dark"
	}
	x.run(chromedp.EmulateViewport(l.size.width, l.size.height))
	call(x, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: theme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
}

func call[P, R any](x *tab, command cdp.Command[P, R], params P) R {
	x.Helper()
	ctx, cancel := context.WithTimeout(x.ctx, patience)
	defer cancel()
	r, err := chromedp.Call(ctx, command, params)
	if err != nil {
		x.Fatalf("%s: %v", command.Method, err)
	}
	return r
}

// run does what can fail, and ends the test when it does.
func (x *tab) run(steps ...chromedp.Action[chromedp.Void]) {
	x.Helper()
	ctx, cancel := context.WithTimeout(x.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		x.Fatalf("%v; the console says %q, the page %.600s", err, x.said(), x.text())
	}
}

// text returns the text that the page shows, for failures.
func (x *tab) text() string {
	ctx, cancel := context.WithTimeout(x.ctx, patience)
	defer cancel()
	text, _ := chromedp.Run(ctx, chromedp.Evaluate[string](`[...document.querySelectorAll('input')].map(e => e.name `+
		`+ '=' + e.value).join(' ') + document.body?.innerText`))
	return text
}

// eval evaluates an expression, a promise too.
func eval[T any](x *tab, expression string) T {
	x.Helper()
	ctx, cancel := context.WithTimeout(x.ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		x.Fatalf("%.200s: %v", expression, err)
	}
	return value
}

// until waits for an expression to be true.
func (x *tab) until(expression string) {
	x.Helper()
	ctx, cancel := context.WithTimeout(x.ctx, patience)
	defer cancel()
	for {
		_, err := chromedp.Run(ctx, chromedp.Poll[bool]("!!("+expression+")", chromedp.WithPollingInterval(glance),
			chromedp.WithPollingTimeout(patience)))
		if err == nil {
			return
		}
		if ctx.Err() == nil &&
			(strings.Contains(err.Error(), "navigated") || strings.Contains(err.Error(), "find context")) {
			continue // the next document may show it
		}
		x.Fatalf("%s does not come true: %v; the console says %q, the page %.900s", expression, err, x.said(), x.text())
	}
}

// shows waits for an element with a text in it.
func (x *tab) shows(selector, text string) {
	x.Helper()
	x.until(`[...document.querySelectorAll(` + quote(selector) +
		`)].some(e => e.checkVisibility() && e.textContent.includes(` + quote(text) + `))`)
}

// visit opens a path of the server.
func (x *tab) visit(path string) {
	x.Helper()
	x.run(chromedp.Navigate(x.origin + path))
}

// enter opens a page of the console with the keys of a sandbox.
func (x *tab) enter(s *platentest.Sandbox, path string) {
	x.Helper()
	x.visit("/static/none") // any document of the origin
	keys, err := json.Marshal(map[string]any{
		"sandbox_id": s.ID, "office_key": s.OfficeKey, "factory_key": s.FactoryKey, "seen": true,
	})
	if err != nil {
		x.Fatal(err)
	}
	eval[any](x, `sessionStorage.setItem('platen.session', `+quote(string(keys))+`)`)
	x.forget()
	x.visit(path)
}

// goTo changes the page without loading the document again.
func (x *tab) goTo(path string) {
	x.Helper()
	eval[any](x, `(() => { const a = document.createElement('a'); a.href = `+quote(path)+
		`; document.body.append(a); a.click(); a.remove(); })()`)
	x.until(`location.pathname === ` + quote(path) + ` && document.querySelector('main h1')`)
}

// click clicks an element once it stays in its place for two frames and nothing covers it: a page that is still
// moving takes a click elsewhere.
func (x *tab) click(selector string) {
	x.Helper()
	x.until(`document.querySelector(` + quote(selector) + `)`)
	ctx, cancel := context.WithTimeout(x.ctx, patience)
	defer cancel()
	for !eval[bool](x, fmt.Sprintf(standsStill, quote(selector))) {
		if ctx.Err() != nil {
			x.Fatalf("%s moves, or something covers it; the page %.900s", selector, x.text())
		}
	}
	x.run(chromedp.Click(selector))
}

// standsStill reports whether a click reaches an element.
const standsStill = `(async () => {
	const frame = () => new Promise(drawn => { requestAnimationFrame(drawn); setTimeout(drawn, 200); });
	const e = document.querySelector(%s);
	const at = () => {
		const { x, y, width, height } = e.getClientRects()[0] ?? {};
		return [x + width / 2, y + height / 2];
	};
	e?.scrollIntoView({ block: 'center' });
	await frame();
	const before = at();
	await frame();
	const hit = document.elementFromPoint(...before);
	return at().join() === before.join() && (e.contains(hit) || !!e.labels?.[0]?.contains(hit));
})().catch(() => false)`

// unfolds clicks a button until what belongs to it is unfolded. On a page to which
// records come the button moves, and a click can find another place.
func (x *tab) unfolds(selector string) {
	x.Helper()
	const tries = 20
	for range tries {
		x.click(selector)
		if eval[bool](x, `new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(() => drawn(`+
			`document.querySelector(`+quote(selector)+`).ariaExpanded === "true"))))`) {
			return
		}
	}
	x.Fatalf("%s does not unfold anything", selector)
}

// type presses keys, wherever the focus is.
func (x *tab) press(keys string) {
	x.Helper()
	x.run(chromedp.KeyEvent(keys))
}

// goes presses g and the key of a page. The second counts for a moment only: on a
// machine that takes longer to press it, both are pressed again.
func (x *tab) goes(key string) {
	x.Helper()
	const tries = 20
	from := eval[string](x, "location.pathname")
	for range tries {
		x.press("g")
		x.press(key)
		if eval[string](x, "location.pathname") != from {
			return
		}
	}
	x.Fatalf("g and %s lead nowhere from %s", key, from)
}

func quote(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

func (x *tab) note(text string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.wrong = append(x.wrong, text)
}

// thrownAt is where an exception was thrown, a line for each call.
func thrownAt(e *runtime.ExceptionDetails) string {
	if e == nil || e.StackTrace == nil {
		return ""
	}
	var b strings.Builder
	for _, f := range e.StackTrace.CallFrames {
		fmt.Fprintf(&b, "\n\t%s %s:%d:%d", f.FunctionName, f.URL, f.LineNumber+1, f.ColumnNumber+1)
	}
	return b.String()
}

// heard notes the requests of the page.
func (x *tab) heard(event any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if e, ok := event.(*network.EventRequestWillBeSent); ok {
		x.requests = append(x.requests, e.Request.Method+" "+e.Request.URL)
	}
}

// forget begins to count anew.
func (x *tab) forget() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.requests, x.wrong = nil, nil
}

func (x *tab) asked() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.requests)
}

// said returns what the page wrote to the console unexpectedly.
func (x *tab) said() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	var wrong []string
	for _, text := range x.wrong {
		if !slices.ContainsFunc(x.expected, func(part string) bool { return strings.Contains(text, part) }) {
			wrong = append(wrong, text)
		}
	}
	return wrong
}

// quiet fails the test when the page was not.
func (x *tab) quiet() {
	x.Helper()
	for _, text := range x.said() {
		x.Errorf("the page wrote to the console: %s", text)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.wrong = nil
}

// accessible fails the test when axe-core finds something.
func (x *tab) accessible(where string) {
	x.Helper()
	if !eval[bool](x, "'axe' in window") { // it is long, and stays until the next document
		eval[any](x, axe+";null")
	}
	x.until(`!!document.querySelector('h1')`) // the page may still be at its beginning
	// An element half behind the head is no smaller for that: axe looks from the top.
	for _, violation := range eval[[]string](x,
		`(y => (scrollTo({ top: 0, behavior: 'instant' }), axe.run({
			resultTypes: ['violations'], // of what is right it need not describe each element
			runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
		}).finally(() => scrollTo({ top: y, behavior: 'instant' })))
		.then(r => r.violations.flatMap(v => v.nodes.slice(0, 3).map(n =>
			v.id + ': ' + n.target + ' ' + n.html.slice(0, 160) + ' ' +
			(n.any[0]?.message ?? n.all[0]?.message ?? '')))))(scrollY)`) {
		x.Errorf("%s: axe: %s", where, violation)
	}
}

// shot keeps a picture of what the window shows, where PLATEN_SCREENSHOTS says.
func (x *tab) shot(name string) {
	x.Helper()
	folder := os.Getenv("PLATEN_SCREENSHOTS")
	if folder == "" {
		return
	}
	ctx, cancel := context.WithTimeout(x.ctx, patience)
	defer cancel()
	picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o644)
	}
	if err != nil {
		x.Errorf("keep a picture of %s: %v", name, err)
	}
}

// shotForLanding makes the picture of the landing page, beside those of shot.
func (x *tab) shotForLanding(name string) {
	x.Helper()
	if os.Getenv("PLATEN_SCREENSHOTS") == "" {
		return
	}
	shot := call(x, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: "webp", Quality: new(int64(72))})
	to := filepath.Join("../../internal/publish/web/static/landing", name)
	if err := os.WriteFile(to, shot.Data, 0o644); err != nil {
		x.Error(err)
	}
}

// offline takes the network from the browser, or gives it back.
func (x *tab) offline(on bool) {
	x.Helper()
	call(x, network.OverrideNetworkState,
		network.OverrideNetworkStateParams{Offline: on, DownloadThroughput: -1, UploadThroughput: -1})
}

// breakStream ends what the console listens to.
func (x *tab) breakStream(way *proxy) {
	x.Helper()
	way.says(breaks)
	way.cut()
}

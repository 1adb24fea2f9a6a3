package contract

import (
	"bytes"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"platen/internal/config"
	"platen/internal/server"
)

// export is the sandbox as a file.
func (n *tenant) export() []byte {
	n.t.Helper()
	key := n.office
	if n.grading != "" {
		key = n.grading
	}
	a := n.send(n.t, request{method: "GET", path: "/sandbox.platen", key: key}).want(http.StatusOK, "")
	if kind := a.Header.Get("Content-Type"); kind != "application/vnd.platen.sandbox" {
		n.t.Errorf("the file is a %s", kind)
	}
	return a.Raw
}

// imported is a server on a new database with the sandbox of a file, and that sandbox.
func imported(t *testing.T, file []byte) *tenant {
	t.Helper()
	c := config.Default()
	c.Database = filepath.Join(t.TempDir(), "imported.db")
	in, err := server.Import(t.Context(), c, bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	made := object{"sandbox_id": in.SandboxID, "office_key": in.OfficeKey, "factory_key": in.FactoryKey}
	if in.GradingKey != "" {
		made["grading_key"] = in.GradingKey
	}
	return serve(t, map[string]string{"database": c.Database}).tenantOf(t, made)
}

// TestASandboxGoesToAFileAndBack: its past is there in another database, and its future is the same.
func TestASandboxGoesToAFileAndBack(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FILE.EXPORT", "OPEN.FILE.IMPORT")
	n := private(t).create(t, `{"preset":"manual","clock":"manual"}`)
	hook := receive(t)
	n.subscribe(hook.URL+"/secret-path", `"*"`)
	order := n.order("SO-1001")
	n.accept(text(order, "id"))
	work := `{"sku":"prd_card","quantity":10,"reference":"SO-1001"}`
	first := n.post("/factory/work-orders", work, "Idempotency-Key", "cards-for-1001").want(http.StatusCreated, "")
	n.names("the cards are in work")
	n.day()
	n.tick(90)

	file, hash, newest := n.export(), n.stateHash(), n.newest()
	m := imported(t, file)
	agrees(t, "where it comes from", m.row("/sandbox")["forked_from"].(object), object{
		"sandbox_id": n.id, "seq": newest,
	})
	if m.id == n.id || m.office == n.office {
		t.Error("it has the id or the key of the one that was exported")
	}
	if got := m.stateHash(); got != hash {
		t.Errorf("its state hash is %s, not %s", got, hash)
	}
	if m.past(newest) != n.past(newest) {
		t.Error("its events are not the same")
	}
	again := m.post("/factory/work-orders", work, "Idempotency-Key", "cards-for-1001").want(http.StatusCreated, "")
	if text(again.Data(), "id") != text(first.Data(), "id") || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("the same key does the work again: %v", again.Data())
	}
	if hooks := m.all("/webhooks"); len(hooks) > 0 {
		t.Errorf("it has the webhooks %v", hooks)
	}
	n.day()
	m.day()
	business := func(n *tenant) string { return text(n.row("/sandbox/report"), "business_hash") }
	if business(n) != business(m) {
		t.Error("a day later they differ")
	}
	label := `{"checkpoint":"the cards are in work"}`
	if before, after := n.fork(label), m.fork(label); before.stateHash() != after.stateHash() {
		t.Error("their forks at a checkpoint of that past differ")
	}
	if again := imported(t, m.export()); again.stateHash() != m.stateHash() {
		t.Error("what was imported cannot be exported")
	}
}

// TestAFileThatIsNotWholeIsRefused, and nobody gets keys.
func TestAFileThatIsNotWholeIsRefused(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FILE.IMPORT")
	n := shared.create(t, `{"clock":"manual"}`)
	n.day()
	file := n.export()
	changed := func(at int) []byte {
		b := bytes.Clone(file)
		b[at] ^= 4
		return b
	}
	const another = "another version"
	c := config.Default()
	c.Database = filepath.Join(t.TempDir(), "refused.db")
	for what, b := range map[string][]byte{
		"nothing": nil, "half": file[:len(file)/2],
		"all but a byte": file[:len(file)-1], "one byte more": append(file, 1),
		"another byte in the middle": changed(len(file) / 2), "another byte in the sum": changed(len(file) - 1),
		"another hash": bytes.Replace(file, []byte(`"state_hash":"`), []byte(`"state_hash":"0`), 1),
		another:        regexp.MustCompile(`"engine_version":.`).ReplaceAll(file, []byte(`"engine_version":9`)),
	} {
		in, err := server.Import(t.Context(), c, bytes.NewReader(b))
		if err == nil || in.OfficeKey != "" {
			t.Errorf("%s makes sandbox %s, %v", what, in.SandboxID, err)
		} else if strings.Contains(err.Error(), "engine_version 9") != (what == another) {
			t.Errorf("%s is refused with %v", what, err)
		}
	}
	if _, err := server.Import(t.Context(), c, bytes.NewReader(file)); err != nil {
		t.Errorf("after that a whole file: %v", err)
	}
}

// TestTheCallersThatMayExport: either key, and in an evaluation the grader alone.
func TestTheCallersThatMayExport(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FILE.EXPORT")
	n := shared.create(t, ``)
	path := "/sandbox.platen"
	for _, key := range []string{n.office, n.factory} {
		n.send(t, request{method: "GET", path: path, key: key}).want(http.StatusOK, "")
		n.send(t, request{method: "HEAD", path: path, key: key}).want(http.StatusOK, "")
	}
	if clock := n.row("/sandbox")["clock"]; !strings.Contains(fmt.Sprint(clock), "waiting") {
		t.Errorf("an export starts the clock: %v", clock)
	}
	n.send(t, request{method: "GET", path: path}).want(http.StatusUnauthorized, "unauthorized")
	n.get(path+"?limit=1").want(http.StatusBadRequest, "invalid_parameter")
	n.call("POST", path, "").want(http.StatusMethodNotAllowed, "method_not_allowed")

	e := shared.create(t, `{"preset":"agent_eval","evaluation":true}`)
	e.get(path).want(http.StatusForbidden, "not_in_evaluation")
	e.grader().get(path)
	if m := imported(t, e.export()); m.grading == "" || m.stateHash() != e.stateHash() {
		t.Error("the copy of an evaluation is none, or another")
	}
}

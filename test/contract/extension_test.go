package contract

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"platen/internal/config"
)

// TestTheLeaseIsThatOfTheContract looks at the settings: no test waits for
// twenty minutes.
func TestTheLeaseIsThatOfTheContract(t *testing.T) {
	t.Parallel()
	rows(t, "LIFE.EXTEND", "LIFE.EXTEND.WINDOW", "LIMIT.EXTENSIONS")
	c := config.Default()
	if c.SandboxDuration != 30*time.Minute || c.Extension != 30*time.Minute || c.ExtensionWindow != 10*time.Minute {
		t.Errorf("a lease is %v, an extension %v in the last %v", c.SandboxDuration, c.Extension, c.ExtensionWindow)
	}
	if left := number(t, shared.create(t, "").row("/sandbox"), "extensions_left"); left != 2 {
		t.Errorf("a new sandbox has %d extensions", left)
	}
}

func TestAnExtensionIsRefusedWhileMuchIsLeft(t *testing.T) {
	t.Parallel()
	rows(t, "LIFE.EXTEND.WINDOW", "OPEN.ERR.EXTENSION_NOT_YET", "OPEN.LIFE.EXTEND.ROUTE")
	n := shared.create(t, "")
	ends := moment(t, n.created["expires_at"])
	refused := n.post("/sandbox/extend", "").want(http.StatusConflict, "extension_not_yet")
	if at := moment(t, refused.Failure()["retry_at"]); !at.Equal(ends.Add(-10 * time.Minute)) {
		t.Errorf("the sandbox ends at %v, retry_at is %v", ends, at)
	}
	if refused.Header.Get("Retry-After") != "" {
		t.Error("what may work in twenty minutes is not to be retried in a loop")
	}
	n.post("/sandbox/extend", `{"minutes":30}`).want(http.StatusUnprocessableEntity, "validation_failed")
	n.post("/sandbox/extend?minutes=30", "").want(http.StatusBadRequest, "invalid_parameter")
	n.get("/sandbox/extend").want(http.StatusMethodNotAllowed, "method_not_allowed")
	if status := n.row("/sandbox"); !moment(t, status["expires_at"]).Equal(ends) ||
		number(t, status, "extensions_left") != 2 {
		t.Errorf("refused extensions left %v and %v", status["expires_at"], status["extensions_left"])
	}
}

func TestEitherKeyExtendsTwice(t *testing.T) {
	t.Parallel()
	rows(t, "LIFE.EXTEND", "LIMIT.EXTENSIONS", "OPEN.LIFE.EXTEND.ROUTE", "OPEN.LIFE.EXTEND.NO_EVENT",
		"OPEN.ERR.NO_EXTENSIONS_LEFT", "AUTH.EITHER")
	// With leases below the window of ten minutes no test has to wait for it.
	n := serve(t, map[string]string{"sandbox-duration": "9m", "extension": "50s"}).create(t, `{"clock":"manual"}`)
	ends := moment(t, n.created["expires_at"])
	last := n.newest()
	first := request{
		method: "POST", path: "/sandbox/extend", key: n.office, headers: []string{"Idempotency-Key", "once"},
	}
	extended := n.send(t, first).want(http.StatusOK, "")
	again := n.send(t, first).want(http.StatusOK, "")
	if string(again.Raw) != string(extended.Raw) || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("the replay is %s", again.Raw)
	}
	if status := extended.Data(); number(t, status, "extensions_left") != 1 ||
		!moment(t, status["expires_at"]).Equal(ends.Add(50*time.Second)) {
		t.Errorf("extended was to %v, %v left", status["expires_at"], status["extensions_left"])
	}
	n.send(t, request{method: "POST", path: "/sandbox/extend", key: n.factory, body: "{}"}).want(http.StatusOK, "")
	n.send(t, request{method: "POST", path: "/sandbox/extend", key: n.factory}).
		want(http.StatusConflict, "no_extensions_left")
	status := n.row("/sandbox")
	if number(t, status, "extensions_left") != 0 || !moment(t, status["expires_at"]).Equal(ends.Add(100*time.Second)) ||
		status["status"] != "active" {
		t.Errorf("after both extensions the sandbox is %v until %v", status["status"], status["expires_at"])
	}
	if left := n.get("/missions").Meta()["expires_in_s"]; left == nil {
		t.Error("meta does not say how much is left")
	}
	if wrote := slices.DeleteFunc(types(n.feed(last)),
		func(kind string) bool { return !notMission(kind) }); len(wrote) > 0 {
		t.Errorf("extensions wrote %v", wrote)
	}
}

// TestTheEndIsAnnounced waits twice, with leases that are ten seconds longer than
// the warning.
func TestTheEndIsAnnounced(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.LIFE.EXPIRING", "OPEN.EVT.SANDBOX.EXPIRING", "EVT.TYPE.SANDBOX.EXPIRING", "OPEN.EVENT.DATA")
		const warning = 5 * time.Minute
		n := serve(t, map[string]string{"sandbox-duration": "310s", "extension": "10s"}).create(t, `{"clock":"manual"}`)
		ends := moment(t, n.created["expires_at"])
		for lease := range 2 {
			before := n.get("/events?types=sandbox.expiring").want(http.StatusOK, "").Items()
			if len(before) != lease {
				t.Fatalf("%v before the warning there are %d", time.Until(ends)-warning, len(before))
			}
			waitUntil(t, ends.Add(-warning).Add(20*time.Millisecond))
			announced := n.get("/events?types=sandbox.expiring").want(http.StatusOK, "").Items()
			if len(announced) != lease+1 {
				t.Fatalf("after the warning was due there are %d", len(announced))
			}
			e := announced[lease]
			data := child(t, e, "data")
			if e["system"] != "sandbox" || text(child(t, e, "links"), "self") != "/sandbox" || data["id"] != n.id ||
				!moment(t, data["expires_at"]).Equal(ends) || number(t, data, "extensions_left") != int64(2-lease) {
				t.Errorf("the end at %v is announced by %v", ends, e)
			}
			if late := moment(t, e["created_at"]).Sub(ends.Add(-warning)); late < 0 || late > time.Millisecond {
				t.Errorf("the announcement is %v late", late)
			}
			if lease == 0 {
				ends = moment(t, n.post("/sandbox/extend", "").want(http.StatusOK, "").Data()["expires_at"])
			}
		}
		last := n.newest()
		if again := n.get("/events?types=sandbox.expiring").want(http.StatusOK, "").Items(); len(again) != 2 ||
			n.newest() != last {
			t.Errorf("the end is announced %d times in two leases", len(again))
		}
	})
}

package mcp

import (
	"slices"
	"testing"
)

// TestTheGoClientPlaysFromAnOrderToItsMoney in every way in which a client can
// say whose sandbox it means, with a restart of the server in between.
func TestTheGoClientPlaysFromAnOrderToItsMoney(t *testing.T) {
	t.Parallel()
	creation := object{"preset": "starter", "clock": "manual", "seed": 5}
	t.Run("with a session", func(t *testing.T) {
		t.Parallel()
		p := launch(t)
		a := connect(t, p.url(), "")
		a.call("create_sandbox", creation)
		order := a.sell()
		p.restart()
		a.cash(order)
		if got := a.revision(); got != "2025-11-25" {
			t.Errorf("without a key the revision is %s", got)
		}
	})
	t.Run("with a key, without sessions", func(t *testing.T) {
		t.Parallel()
		p := launch(t)
		created := connect(t, p.url(), "").call("create_sandbox", creation)
		a := connect(t, p.url(), created["office_key"].(string))
		order := a.sell()
		p.restart()
		a.cash(order)
		if got := a.revision(); got != "2026-07-28" {
			t.Errorf("with a key the revision is %s", got)
		}
		if id := a.session.ID(); id != "" {
			t.Errorf("with a key there is a session")
		}
	})
	t.Run("with a key and a session", func(t *testing.T) {
		t.Parallel()
		p := launch(t)
		created := connect(t, p.url(), "").call("create_sandbox", creation)
		a := connectAs(t, p.url(), created["office_key"].(string), "2025-11-25")
		order := a.sell()
		p.restart()
		a.cash(order)
		if got := a.revision(); got != "2025-11-25" {
			t.Errorf("the revision is %s", got)
		}
	})
}

// TestTwoAgentsHoldOneSystemEach at the narrower addresses, with the keys of one
// sandbox.
func TestTwoAgentsHoldOneSystemEach(t *testing.T) {
	t.Parallel()
	p := launch(t)
	created := connect(t, p.url(), "").call("create_sandbox", object{"clock": "manual", "seed": 5})
	office := connect(t, p.url()+"/office", created["office_key"].(string))
	factory := connect(t, p.url()+"/factory", created["factory_key"].(string))
	for at, c := range map[*agent]struct {
		own, others string
		tools       int
	}{office: {"office_list", "factory_list", 21}, factory: {"factory_list", "office_list", 15}} {
		list, err := at.session.ListTools(within(t), nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
		}
		if len(names) != c.tools || !slices.Contains(names, c.own) || slices.Contains(names, c.others) {
			t.Errorf("where %s should be, %d tools are: %v", c.own, len(names), names)
		}
	}
	order := office.items("office_list", object{"resource": "sales_orders", "status": "received"})[0]
	accepted := office.call("office_answer_sales_order", object{"id": order["id"], "answer": "accept"})
	work := factory.items("factory_list", object{"resource": "work_orders", "reference": order["id"]})
	if len(work) != 1 || work[0]["id"] != accepted["bridged_work_order_id"] {
		t.Errorf("the Factory's agent sees %v", work)
	}
	contains(t, "an operation of the other system",
		factory.refuse("call_operation", object{"operation": "list_sales_orders"}), "validation_failed")
	for _, found := range factory.items("search_operations", object{"query": "sales orders list", "limit": 20}) {
		if found["system"] == "office" {
			t.Errorf("the Factory's agent finds %v", found["operation"])
		}
	}
}

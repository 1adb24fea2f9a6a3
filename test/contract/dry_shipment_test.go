package contract

import (
	"net/http"
	"testing"
)

// billsDry sends a bill as a dry run, then as it is, and compares them.
func (n *tenant) billsDry(body object) (said, made object) {
	n.t.Helper()
	n.settle()
	before := n.trace()
	body["dry_run"] = true
	said = n.call("POST", "/office/shipments", encode(n.t, body)).want(http.StatusOK, "").Data()
	if after := n.trace(); after != before {
		n.t.Errorf("a dry run left\n%s\nbefore it there was\n%s", after, before)
	}
	body["dry_run"] = false
	made = n.post("/office/shipments", encode(n.t, body)).want(http.StatusCreated, "").Data()
	invoice := child(n.t, made, "invoice")
	for name, want := range map[string]any{
		"dry_run": true, "sales_order_id": made["sales_order_id"], "contract_lot_id": made["contract_lot_id"],
		"quantity": made["quantity"], "gross_minor": invoice["gross_minor"],
		"late_discount_minor": invoice["late_discount_minor"], "total_minor": invoice["total_minor"],
		"currency": "XTS", "due_date": invoice["due_date"],
	} {
		if encode(n.t, said[name]) != encode(n.t, want) {
			n.t.Errorf("%s was said to be %v and is %v", name, said[name], want)
		}
	}
	return said, invoice
}

// TestADryRunOfAShipmentIsTrue: it names the bill, and the goods that its payment waits for.
func TestADryRunOfAShipmentIsTrue(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.DRY_RUN", "OPEN.DRY_RUN.TRACELESS", "OPEN.DRY_RUN.SHIPMENT", "OPEN.BODY.OFFICE.SHIPMENTS",
		"OPEN.PART.CUSTOMER")
	for _, parts := range []bool{true, false} {
		n := shared.create(t, `{"preset":"manual","seed":3,"clock":"manual"}`)
		order := n.accept(text(n.orderTaking(func(customer object, quantity int64) bool {
			return takesParts(customer, quantity) == parts && customer["payment_habit"] != "instalments"
		}), "id"))
		id, quantity := text(order, "id"), number(t, order, "quantity")
		work := text(n.work(text(order, "sku"), int(quantity), id), "id")
		n.print(work)
		n.tick(240)
		n.sends(object{"work_order_id": work, "quantity": 4}).want(201, "")
		said, invoice := n.billsDry(object{"sales_order_id": id, "quantity": 4})
		waits, status, dispute := "order", "overdue", any("goods_not_received")
		if parts {
			waits, status, dispute = "goods", "paid", nil
		}
		if said["payment_waits_for"] != waits || number(t, said, "quantity_left") != quantity-4 {
			t.Errorf("a part for a customer who takes parts (%t) was said to be %v", parts, said)
		}
		for text(n.day(), "sim_date") <= text(invoice, "due_date") {
			continue
		}
		got := n.row("/office/customer-invoices/" + text(invoice, "id"))
		if got["status"] != status || got["dispute_code"] != dispute {
			t.Errorf("the bill that waits for its %v is %v", waits, got)
		}
		tooMany := encode(t, object{"sales_order_id": id, "quantity": quantity, "dry_run": true})
		refused := n.call("POST", "/office/shipments", tooMany).want(422, "quantity_mismatch")
		if number(t, refused.details(), "quantity") != quantity-4 {
			t.Errorf("a dry run of too much is refused with %v", refused.details())
		}
		said, _ = n.billsDry(object{"sales_order_id": id})
		if said["payment_waits_for"] != "goods" || number(t, said, "quantity_left") != 0 {
			t.Errorf("the rest was said to be %v", said)
		}
	}
}

// TestADryRunOfAShipmentAsksTheFactory where the bridge sends the goods, and sends none.
func TestADryRunOfAShipmentAsksTheFactory(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.DRY_RUN.SHIPMENT", "OPEN.DRY_RUN.TRACELESS", "OPEN.BRIDGE.SHIPMENT")
	n := shared.create(t, `{"seed":3,"clock":"manual"}`)
	order := n.accept(text(n.orderTaking(takesParts), "id"))
	id, work := text(order, "id"), text(order, "bridged_work_order_id")
	body := encode(t, object{"sales_order_id": id, "dry_run": true})
	n.call("POST", "/office/shipments", body).want(http.StatusConflict, "work_order_not_ready")
	n.print(work)
	n.tick(240)
	said, _ := n.billsDry(object{"sales_order_id": id})
	if number(t, said, "quantity_left") != 0 {
		t.Errorf("the whole order was said to be %v", said)
	}
	n.call("POST", "/office/shipments", body).want(http.StatusConflict, "invalid_state")
}

// TestADryRunOfALotIsTrue: a lot is billed whole, and its customer pays once it has come.
func TestADryRunOfALotIsTrue(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.DRY_RUN.SHIPMENT", "OPEN.BODY.OFFICE.SHIPMENTS.LOT")
	for _, bridge := range []string{"auto", "manual"} {
		n := bulk(t, bridge, nil)
		n.untilDay(2)
		lot := n.takeLot("LOT-0001")
		if bridge == "auto" {
			n.call("POST", "/office/shipments", encode(t, object{"contract_lot_id": lot["id"], "dry_run": true})).
				want(http.StatusConflict, "work_order_not_ready")
			n.finish(text(lot, "work_order_ref"))
		}
		said, _ := n.billsDry(object{"contract_lot_id": lot["id"]})
		if said["payment_waits_for"] != "goods" || number(t, said, "quantity_left") != 0 {
			t.Errorf("a lot was said to be %v", said)
		}
	}
}

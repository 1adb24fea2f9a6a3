package contract

import (
	"net/http"
	"testing"
)

// TestListsOfBuyingTakeEachValueOfTheirFilters asks for every status that a
// record may have, whether there is one or not, and for one that none has.
func TestListsOfBuyingTakeEachValueOfTheirFilters(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.LIST.FILTERS", "OPEN.ROUTE.OFFICE.REQUISITIONS",
		"OPEN.ROUTE.OFFICE.PURCHASE_ORDERS", "OPEN.ROUTE.OFFICE.GOODS_RECEIPTS", "OPEN.ROUTE.OFFICE.SUPPLIER_INVOICES",
		"OPEN.ROUTE.FACTORY.REQUISITIONS", "OPEN.ROUTE.FACTORY.DELIVERIES", "OPEN.ERR.INVALID_PARAMETER")
	n := traded(t, `{"seed":5,"clock":"manual"}`)
	n.purchase("sup_mill", "mat_coated", 12000).want(http.StatusCreated, "")
	for path, filters := range map[string]map[string][]string{
		"/office/requisitions":    {"status": {"received", "approved", "rejected"}},
		"/office/purchase-orders": {"status": {"draft", "pending_approval", "approved"}},
		"/office/supplier-invoices": {
			"status": {"open", "overdue", "paid"}, "kind": {"materials", "overhead"},
			"match_status": {"matched", "quantity_mismatch", "price_mismatch", "quantity_and_price_mismatch",
				"no_receipt", "not_applicable"},
		},
		"/factory/requisitions": {"status": {"open", "closed"}},
		"/factory/deliveries":   {"status": {"arrived", "received"}},
	} {
		all := n.all(path)
		for name, values := range filters {
			found := 0
			for _, value := range values {
				rows := n.all(path + "?" + name + "=" + value)
				found += len(rows)
				for _, row := range rows {
					if row[name] != value {
						t.Errorf("%s?%s=%s has %v", path, name, value, row[name])
					}
				}
			}
			if found != len(all) || found == 0 {
				t.Errorf("%s: of %d rows the values of %s find %d", path, len(all), name, found)
			}
			for _, unknown := range []string{"nothing", "OPEN", "open,paid", "received%20", "null"} {
				a := n.get(path+"?"+name+"="+unknown).want(http.StatusBadRequest, "invalid_parameter")
				agrees(t, "details", a.details(), object{"parameter": name})
			}
		}
		for _, other := range []string{"id", "number", "created_on", "sort", "page"} {
			agrees(t, "details", n.get(path+"?"+other+"=1").want(http.StatusBadRequest, "invalid_parameter").details(),
				object{"parameter": other})
		}
	}
	orders := n.all("/office/purchase-orders")
	if mill := n.all("/office/purchase-orders?supplier_id=sup_mill&status=pending_approval"); len(mill) != 1 ||
		mill[0]["id"] != orders[0]["id"] {
		t.Errorf("at the mill waits %v", mill)
	}
	for _, path := range []string{
		"/office/purchase-orders?supplier_id=sup_nobody", "/office/goods-receipts?purchase_order_id=po_0",
		"/office/goods-receipts?purchase_order_id=PO-5001",
	} {
		if got := n.all(path); len(got) != 0 {
			t.Errorf("%s finds %v", path, got)
		}
	}
	for _, order := range orders {
		for _, receipt := range n.all("/office/goods-receipts?purchase_order_id=" + text(order, "id")) {
			if receipt["purchase_order_id"] != order["id"] {
				t.Errorf("for %v there is %v", order["number"], receipt)
			}
		}
	}
}

// TestTagsOfBuyingFollowDerivedMembers holds the tags of rows that change
// without a status of their own.
func TestTagsOfBuyingFollowDerivedMembers(t *testing.T) {
	t.Parallel()
	rows(t, "LIST.ETAG", "LIST.NOT_MODIFIED", "LIST.UPDATED_SINCE", "OPEN.LIST.ETAG_COVERS", "OPEN.FIELDS.UPDATED_AT")
	n := calmCompany(t, "manual", nil)
	order := text(n.ordered("sup_quick", "mat_uncoated", 500), "id")
	n.day()
	n.tick(90)
	n.day()
	n.tick(30)
	bill := text(n.billFor(object{"id": order}), "id")
	changesWith := func(what string, do func(), paths ...string) {
		t.Helper()
		tags, newest := map[string]string{}, n.row("/sandbox")
		for _, path := range paths {
			tags[path] = n.get(path).want(200, "").Header.Get("ETag")
			n.get(path, "If-None-Match", tags[path]).want(http.StatusNotModified, "")
		}
		since := text(n.feed(uint64(number(t, newest, "last_seq")) - 1)[0], "created_at")
		do()
		for _, path := range paths {
			a := n.get(path, "If-None-Match", tags[path]).want(http.StatusOK, "")
			if a.Data()["id"] != nil && !moment(t, a.Data()["updated_at"]).After(moment(t, since)) {
				t.Errorf("%s: %s is of %v", what, path, a.Data()["updated_at"])
			}
		}
	}
	changesWith("a receipt", func() { n.record(order, "mat_uncoated", 200).want(201, "") },
		"/office/purchase-orders/"+order, "/office/supplier-invoices/"+bill, "/office/supplier-invoices",
		"/office/purchase-orders", "/office/goods-receipts", "/events")
	changesWith("a payment", func() { n.pay(bill, `{"amount_minor":15000}`).want(200, "") },
		"/office/purchase-orders/"+order, "/office/supplier-invoices/"+bill, "/office/ledger", "/office/cash")
	filed := text(n.require(object{"sku": "mat_ink", "quantity": 5}).want(201, "").Data(), "id")
	changesWith("an order", func() {
		n.post("/office/purchase-orders", encode(t, object{
			"supplier_id": "sup_chroma", "lines": []object{{"sku": "mat_ink", "quantity": 5}}, "requisition_id": filed,
		})).want(201, "")
	}, "/office/requisitions/"+filed, "/office/requisitions", "/office/purchase-orders")
}

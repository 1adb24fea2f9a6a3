package contract

import (
	"net/http"
	"testing"
)

// TestACustomerHasACreditLimitInACrunch: an order beyond it cannot be accepted, and can be declined.
func TestACustomerHasACreditLimitInACrunch(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.CREDIT", "OPEN.PRESET.CRUNCH", "OPEN.ERR.CREDIT_LIMIT_EXCEEDED", "OPEN.FIELDS.CUSTOMER")
	n := shared.create(t, `{"preset":"crunch","seed":4,"clock":"manual"}`)
	const path = "/office/customers/cus_lumen"
	orders := func(quantity int64) object {
		return n.row("/office/sales-orders/" + text(n.pulls(object{
			"type": "order", "sku": "prd_card", "customer_id": "cus_lumen", "quantity": quantity,
		}), "id"))
	}
	before := n.row(path)
	limit, open := number(t, before, "credit_limit_minor"), number(t, before, "open_minor")
	first := orders(limit/2200 - 50)
	total := number(t, first, "total_minor")
	n.accept(text(first, "id"))
	agrees(t, "the customer", n.row(path), object{"credit_limit_minor": limit, "open_minor": open + total})
	second := orders(100)
	accept := "/office/sales-orders/" + text(second, "id") + "/accept"
	n.refusesQuietly(accept, "", http.StatusConflict, "credit_limit_exceeded")
	agrees(t, "the numbers", n.post(accept, "").details(), object{
		"credit_limit_minor": limit, "used_minor": open + total, "available_minor": limit - open - total,
		"total_minor": second["total_minor"],
	})
	n.post("/office/sales-orders/"+text(second, "id")+"/decline", "").want(http.StatusOK, "")
	agrees(t, "a customer elsewhere", shared.create(t, `{"seed":4,"clock":"manual"}`).row(path),
		object{"credit_limit_minor": nil, "open_minor": nil})
}

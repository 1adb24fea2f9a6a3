package docsite

import (
	"strings"

	"platen/internal/words/problem"
)

// provocation is a way to get a code: a command for a sandbox that
// has just begun, or a text on the other circumstances.
type provocation struct{ Text, Command string }

// provocation finds that of a code, nil where a client cannot bring it about.
func (s *Site) provocation(code problem.Code) *provocation {
	if text, ok := circumstances[code]; ok {
		return &provocation{Text: text}
	}
	command, ok := provocations[code]
	if !ok {
		return nil
	}
	return &provocation{
		Text:    "In a sandbox that has just begun, with its keys in PLATEN_OFFICE_KEY and PLATEN_FACTORY_KEY:",
		Command: s.filled(command),
	}
}

// filled puts this server and the variables of the keys into a command.
func (s *Site) filled(command string) string {
	return strings.NewReplacer(
		"AS_OFFICE", `-H "Authorization: Bearer $PLATEN_OFFICE_KEY"`, "AS_FACTORY",
		`-H "Authorization: Bearer $PLATEN_FACTORY_KEY"`, "BASE", s.BaseURL(),
	).Replace(strings.TrimSuffix(command, "\n"))
}

// workOrder makes a work order for business cards.
const workOrder = `WORK=$(curl -s BASE/factory/work-orders AS_FACTORY -H "Idempotency-Key: cards" \
  --json '{"sku": "prd_card", "quantity": 10, "reference": "cards"}' | jq -r .data.id)
`

// order finds an order that can be accepted.
const order = `ORDER=$(curl -s "BASE/office/sales-orders?status=received" AS_OFFICE | jq -r '.data.items[-1].id')
`

// bill finds the supplier's invoice that a company opens with, which is wrong.
const bill = `BILL=$(curl -s "BASE/office/supplier-invoices?status=open" AS_OFFICE | jq -r '.data.items[-1].id')
`

// provocations are commands that are refused with a code in a sandbox of the
// preset starter that has just begun. A test runs each of them.
var provocations = map[problem.Code]string{ //nolint:gochecknoglobals // read only
	problem.BadRequest: `curl -s --path-as-is "BASE/office/../sandbox" AS_OFFICE`,
	problem.LimitNotMet: `curl -s BASE/office/market AS_OFFICE -H "Idempotency-Key: cheap" \
  --json '{"side": "buy", "sku": "mat_coated", "quantity": 10, "limit_price_minor": 1}'`,
	problem.MarketSoldOut: `curl -s BASE/office/market AS_OFFICE -H "Idempotency-Key: all" \
  --json '{"side": "buy", "sku": "mat_coated", "quantity": 20000}'`,
	problem.NotTraded: `curl -s BASE/office/market AS_OFFICE -H "Idempotency-Key: waste" \
  --json '{"side": "buy", "sku": "mat_waste", "quantity": 10}'`,
	problem.CheckpointExists: `curl -s BASE/sandbox/checkpoints AS_OFFICE --json '{"label": "start"}'`,
	problem.CheckpointKept: `START=$(curl -s BASE/sandbox/checkpoints AS_OFFICE | jq -r '.data.items[-1].id')
curl -s -X DELETE BASE/sandbox/checkpoints/$START AS_OFFICE`,
	problem.TriggerImpossible: `curl -s BASE/sandbox/triggers AS_OFFICE --json '{"type": "employee_returns"}'`,
	problem.TimesheetMissing: `curl -s BASE/office/payroll-runs AS_OFFICE -H "Idempotency-Key: wages" ` +
		`--json '{"week_start": "2026-09-07"}'`,
	problem.ThreeWayMismatch: bill +
		`curl -s -X POST BASE/office/supplier-invoices/$BILL/pay AS_OFFICE -H "Idempotency-Key: blind"`,
	problem.AmountNotPayable: bill + `curl -s BASE/office/supplier-invoices/$BILL/pay AS_OFFICE ` +
		`-H "Idempotency-Key: little" --json '{"amount_minor": 1}'`,
	problem.AlreadyPaid: bill +
		`MATCHED=$(curl -s BASE/office/supplier-invoices/$BILL AS_OFFICE | jq .data.matched_minor)
for time in first second; do
  curl -s BASE/office/supplier-invoices/$BILL/pay AS_OFFICE -H "Idempotency-Key: $time" ` +
		`--json '{"amount_minor": '$MATCHED'}' > $time.json
done
cat second.json`,
	problem.PurchaseOrderNotApproved: `PURCHASE=$(curl -s BASE/office/purchase-orders AS_OFFICE ` +
		`-H "Idempotency-Key: large" \
  --json '{"supplier_id": "sup_mill", "lines": [{"sku": "mat_coated", "quantity": 12000}]}' | jq -r .data.id)
curl -s BASE/office/goods-receipts AS_OFFICE -H "Idempotency-Key: never-sent" \
  --json '{"purchase_order_id": "'$PURCHASE'", "lines": [{"sku": "mat_coated", "quantity_accepted": 1}]}'`,
	problem.RequisitionNotApproved: `REQUISITION=$(curl -s BASE/office/requisitions AS_OFFICE ` +
		`-H "Idempotency-Key: wish" \
  --json '{"lines": [{"sku": "mat_coated", "quantity": 12000}]}' | jq -r .data.id)
curl -s BASE/office/purchase-orders AS_OFFICE -H "Idempotency-Key: too-soon" \
  --json '{"supplier_id": "sup_mill", "requisition_id": "'$REQUISITION'", ` +
		`"lines": [{"sku": "mat_coated", "quantity": 12000}]}'`,
	problem.WebhookLimitReached: `for number in 1 2 3 4; do
  curl -s BASE/webhooks AS_OFFICE -H "Idempotency-Key: hook-$number" \
    --json '{"url": "https://hooks.example.com/platen", "events": ["*"]}' > last.json
done
cat last.json`,
	problem.InvalidJSON:         `curl -s BASE/sandbox/tick AS_OFFICE --json '{"minutes": '`,
	problem.InvalidParameter:    `curl -s "BASE/office/sales-orders?limit=0" AS_OFFICE`,
	problem.InvalidCursor:       `curl -s "BASE/office/sales-orders?cursor=nothing" AS_OFFICE`,
	problem.KeyInURL:            "# This revokes the key.\n" + `curl -s "BASE/sandbox?key=$PLATEN_OFFICE_KEY"`,
	problem.IdempotencyRequired: `curl -s BASE/factory/shipments AS_FACTORY --json '{"work_order_id": "wo_unknown"}'`,
	problem.IdempotencyKeyInvalid: `curl -s -X POST BASE/sandbox/tick AS_OFFICE ` +
		`-H "Idempotency-Key: $(printf '%065d' 1)"`,
	problem.Unauthorized:     `curl -s BASE/sandbox -H "Authorization: Bearer lab_off_unknown"`,
	problem.WrongSystem:      `curl -s BASE/factory/stock AS_OFFICE`,
	problem.OriginRefused:    `curl -s -X POST BASE/sandboxes -H "Sec-Fetch-Site: cross-site"`,
	problem.NotFound:         `curl -s BASE/office/sales-orders/so_unknown AS_OFFICE`,
	problem.RouteNotFound:    `curl -s BASE/office/nothing AS_OFFICE`,
	problem.TicketNotFound:   `curl -s BASE/queue/tkt_unknown`,
	problem.MethodNotAllowed: `curl -s -X PUT BASE/sandbox AS_OFFICE`,
	problem.NotAcceptable:    `curl -s BASE/sandbox AS_OFFICE -H "Accept: text/html"`,
	problem.PollInProgress: `for poll in 1 2; do
  curl -s "BASE/events/poll?after_seq=100000&wait_s=10" AS_OFFICE > /dev/null &
done
sleep 2
curl -s "BASE/events/poll?after_seq=100000&wait_s=10" AS_OFFICE`,
	problem.InvalidState: order + `curl -s -X POST BASE/office/sales-orders/$ORDER/accept AS_OFFICE > /dev/null
curl -s -X POST BASE/office/sales-orders/$ORDER/accept AS_OFFICE`,
	problem.PreconditionFailed: order +
		`TAG=$(curl -s BASE/office/sales-orders/$ORDER AS_OFFICE -o /dev/null -w '%header{etag}')
curl -s -X POST BASE/office/sales-orders/$ORDER/accept AS_OFFICE > /dev/null
curl -s BASE/office/sales-orders/$ORDER/decline AS_OFFICE -H "If-Match: $TAG" --json '{"reason": "full"}'`,
	problem.DuplicateReference: workOrder + `curl -s BASE/factory/work-orders AS_FACTORY -H "Idempotency-Key: again" \
  --json '{"sku": "prd_card", "quantity": 10, "reference": "cards"}'`,
	problem.PressBusy: workOrder + `for run in first second; do
  curl -s BASE/factory/print-runs AS_FACTORY -H "Idempotency-Key: $run" \
    --json '{"press_id": "prs_digital", "work_order_id": "'$WORK'"}' > $run.json
done
cat second.json`,
	problem.NoWarehouseWorker: `WORKER=$(curl -s "BASE/office/employees" AS_OFFICE |
  jq -r '.data.items[] | select(.role == "warehouse") | .id')
curl -s -X POST BASE/office/employees/$WORKER/dismiss AS_OFFICE > /dev/null
curl -s BASE/sandbox/triggers AS_OFFICE --json '{"type": "truck_early"}' > /dev/null
TRUCK=$(curl -s "BASE/factory/deliveries?status=arrived" AS_FACTORY | jq -r '.data.items[0].id')
curl -s BASE/factory/goods-receipts AS_FACTORY -H "Idempotency-Key: truck" --json '{"delivery_id": "'$TRUCK'"}'`,
	problem.InsufficientStock: `WORK=$(curl -s BASE/factory/work-orders AS_FACTORY -H "Idempotency-Key: many" \
  --json '{"sku": "prd_flyer", "quantity": 5000, "reference": "many"}' | jq -r .data.id)
curl -s BASE/factory/print-runs AS_FACTORY -H "Idempotency-Key: print-many" \
  --json '{"press_id": "prs_offset", "work_order_id": "'$WORK'"}'`,
	problem.WorkOrderNotReady: workOrder + `curl -s BASE/factory/shipments AS_FACTORY -H "Idempotency-Key: too-early" \
  --json '{"work_order_id": "'$WORK'"}'`,
	problem.GangMixedPaper: workOrder +
		`OTHER=$(curl -s BASE/factory/work-orders AS_FACTORY -H "Idempotency-Key: flyers" \
  --json '{"sku": "prd_flyer", "quantity": 60, "reference": "flyers"}' | jq -r .data.id)
curl -s BASE/factory/print-runs AS_FACTORY -H "Idempotency-Key: both" \
  --json '{"press_id": "prs_digital", "work_order_ids": ["'$WORK'", "'$OTHER'"]}'`,
	problem.ReferenceRequired: `curl -s BASE/factory/work-orders AS_FACTORY -H "Idempotency-Key: nameless" \
  --json '{"sku": "prd_card", "quantity": 10}'`,
	problem.QuantityMismatch: order + `curl -s -X POST BASE/office/sales-orders/$ORDER/accept AS_OFFICE > /dev/null
curl -s BASE/office/shipments AS_OFFICE -H "Idempotency-Key: too-many" \
  --json '{"sales_order_id": "'$ORDER'", "quantity": 4999}'`,
	problem.ExtensionNotYet: `curl -s -X POST BASE/sandbox/extend AS_OFFICE`,
	problem.BodyTooLarge: `head -c 20000 /dev/zero | tr '\0' ' ' | curl ` +
		`-s BASE/sandbox/tick AS_OFFICE --json @-`,
	problem.UnsupportedMediaType: `curl -s BASE/sandbox/tick AS_OFFICE -H "Content-Type: text/plain" -d '{}'`,
	problem.ValidationFailed:     `curl -s BASE/sandbox/tick AS_OFFICE --json '{"minutes": 0, "hours": 1}'`,
	problem.InvalidPreset:        `curl -s BASE/sandboxes --json '{"preset": "nothing"}'`,
	problem.IdempotencyKeyReused: `for minutes in 1 2; do
  curl -s BASE/sandbox/tick AS_OFFICE -H "Idempotency-Key: one-key" --json '{"minutes": '$minutes'}' > $minutes.json
done
cat 2.json`,
	problem.RateLimited: `for call in $(seq 80); do ` +
		`curl -s --fail-with-body BASE/sandbox AS_OFFICE > last.json || break; done
cat last.json`,
	problem.TickRate: `curl -s -X POST BASE/sandbox/tick AS_OFFICE > /dev/null
curl -s -X POST BASE/sandbox/tick AS_OFFICE`,
	problem.HostRefused:     `curl -s BASE/sandbox AS_OFFICE -H "Host: elsewhere.example"`,
	problem.HeadersTooLarge: `curl -s BASE/sandbox AS_OFFICE -H "X-Long: $(head -c 20000 /dev/zero | tr '\0' x)"`,
	problem.SKUNotSupplied: `curl -s BASE/office/purchase-orders AS_OFFICE -H "Idempotency-Key: ink" \
  --json '{"supplier_id": "sup_mill", "lines": [{"sku": "mat_ink", "quantity": 10}]}'`,
	problem.BelowMinimumOrder: `curl -s BASE/office/purchase-orders AS_OFFICE -H "Idempotency-Key: little" \
  --json '{"supplier_id": "sup_mill", "lines": [{"sku": "mat_coated", "quantity": 10}]}'`,
	problem.WeekNotOver: `curl -s BASE/office/timesheets AS_OFFICE -H "Idempotency-Key: this-week" \
  --json '{"week_start": "2026-09-07", "entries": [{"badge_no": "1001", "hours_worked": 40}]}'`,
	problem.WebhookURLRejected: `curl -s BASE/webhooks AS_OFFICE -H "Idempotency-Key: inside" \
  --json '{"url": "http://127.0.0.1:3000/hook", "events": ["*"]}'`,
	problem.InvalidEventType: `curl -s BASE/webhooks AS_OFFICE -H "Idempotency-Key: nothing" \
  --json '{"url": "https://hooks.example.com/platen", "events": ["office.nothing"]}'`,
}

// circumstances are the conditions of a code that one command in a new sandbox
// does not bring.
var circumstances = map[problem.Code]string{ //nolint:gochecknoglobals // read only
	problem.CreditLimitExceeded: "Order on from one supplier, above its credit_limit_minor, without paying it; or, " +
		"in the preset crunch, accept orders of a customer above the credit_limit_minor.",
	problem.InsufficientFunds: "Spend what there is and may be overdrawn: " +
		"pay, hire or buy on the market until it is used up.",
	problem.SupplierOnHold: "Leave an invoice of a supplier unpaid beyond its due date, and " +
		"order from it again.",
	problem.DirectDebit: "Move the clock to a Monday, and pay an invoice of the kind overhead " +
		"before it is debited.",
	problem.DeliveryAlreadyReceived:   "Count the same delivery in twice, with two Idempotency-Keys.",
	problem.QuantityExceedsDelivery:   "Count in more of a delivery than came undamaged.",
	problem.QuantityExceedsOrder:      "Record a receipt at Head Office for more than its purchase order ordered.",
	problem.RequisitionAlreadyOrdered: "Order an approved requisition twice, with two Idempotency-Keys.",
	problem.TimesheetExists: "With the auto bridge, move the clock beyond a Friday, and record " +
		"that week yourself.",
	problem.EmployeeMissing: "With the manual bridge, record a week that is over, and leave one " +
		"of the people out.",
	problem.PayrollAlreadyPaid: "Pay the wages of a week twice, with two Idempotency-Keys.",
	problem.HeadcountLimit:     "Hire until the company has as many employees as it can have.",
	problem.NoOperator: "Start a run on each press while the people who can run them are ill, " +
		"away or dismissed.",
	problem.TooManyOpen: "Order work, or material, without end and finish none of it.",
	problem.NoExtensionsLeft: "Start a server with --sandbox-duration 1m --extension 10s --extension-window " +
		"59s, and extend a sandbox three times.",
	problem.RequestInProgress: "Send the same slow request twice at the same moment, with one " +
		"Idempotency-Key: two test pings of one webhook, whose receiver takes its time.",
	problem.RequestTimeout: "Announce a body with Content-Length, and do not send it.",
	problem.Unavailable:    "Stop the server while it handles a request, or fill the disk of its database.",
	problem.InternalError: "You cannot provoke it. " +
		"If you see one, search the server's log for its request_id.",
	problem.SandboxDamaged: "Start a server of your own, create a sandbox with an Idempotency-Key on a write, stop " +
		"the server, change a bit of its commits in the database, start it, and repeat the write.",
	problem.Banned: "Go on sending after rate_limited, some hundred times within a minute. " +
		"Better on a server of your own, with --ban 10s.",
	problem.IPActiveLimit: "Create sandboxes without end, on a server of your own with --ip-active 2.",
	problem.IPCreateLimit: "Create sandboxes without end, on a server of your own with --ip-creations 2.",
	problem.QueueFull: "Start a server with --max-sandboxes 1 --queue-length 1 and create " +
		"three sandboxes.",
	problem.TicketForfeited: "Start a server with --max-sandboxes 1 --claim-window 1s, take a ticket and " +
		"do not claim its place.",
	problem.NotInEvaluation: "Create a sandbox of the preset agent_eval, and fork it with the key of Head Office.",
	problem.CreationClosed: "Start a server with PLATEN_CREATION_KEY, and fork a sandbox of it with the key of " +
		"Head Office.",
	problem.SandboxExpired:  "Start a server with --sandbox-duration 30s, wait, and write.",
	problem.PowRequired:     "Start a server with --pow-difficulty 16 and create a sandbox without a proof.",
	problem.SandboxBankrupt: "Leave a sandbox of the preset crunch alone, and move its clock day by day.",
	problem.PressDown: "Play on until a disruption hits a press: sandbox/lore-events tells of it. " +
		"The preset supply_shock has more of them.",
}

package web

import (
	"regexp"
	"strings"

	"platen/internal/operation"
)

// step is one station of the landing page.
type step struct {
	Title string
	// System says which side the step is about.
	System operation.System
	Text   string
	// Command is a command to paste into a shell; BASE stands for the base URL.
	Command string
}

// piece is a part of a command with the class that colours it.
type piece struct{ Text, Class string }

// snippet finds the parts of a command that belong to one of the systems, its
// comments and its program.
var snippet = regexp.MustCompile(
	`(?m)(\$?\bPLATEN_OFFICE_KEY\b|/v1/office\b[^\s"'?]*)|(\$?\bPLATEN_FACTORY_KEY\b|/v1/factory\b[^\s"']*)|(^# ` +
		`.*$)|(\bcurl\b)`)

// pieces splits the step's command so that each system has its colour.
func (s step) pieces(baseURL string) []piece {
	text := strings.ReplaceAll(s.Command, "BASE", baseURL)
	var out []piece
	at := 0
	for _, spans := range snippet.FindAllStringSubmatchIndex(text, -1) {
		for i, class := range []string{string(operation.Office), string(operation.Factory), "comment", "command"} {
			from, to := spans[2*i+2], spans[2*i+3]
			if from < 0 {
				continue
			}
			if from > at {
				out = append(out, piece{Text: text[at:from]})
			}
			out = append(out, piece{Text: text[from:to], Class: class})
			at = to
		}
	}
	if at < len(text) {
		out = append(out, piece{Text: text[at:]})
	}
	return out
}

// steps are the short quickstart of the landing page. They run as they stand, one after the other, in a
// shell with curl 7.82 and jq.
var steps = []step{ //nolint:gochecknoglobals // the table itself
	{
		"Create a sandbox", operation.Open,
		"There is no account. The response holds two keys, one for each system, and no other response ever shows them.",
		`curl -s -X POST BASE/sandboxes > sandbox.json
PLATEN_OFFICE_KEY=$(jq -r .data.office_key sandbox.json)
PLATEN_FACTORY_KEY=$(jq -r .data.factory_key sandbox.json)`,
	},
	{
		"Read what customers want", operation.Office,
		"Orders wait for an answer. Lists begin with the newest; take the oldest, a small one of business cards.",
		`curl -s "BASE/office/sales-orders?status=received" \
  -H "Authorization: Bearer $PLATEN_OFFICE_KEY" > orders.json
jq -r '.data.items[] | [.number, .quantity, .product_name, .due_date] | @tsv' orders.json
ORDER=$(jq -r '.data.items[-1].id' orders.json)`,
	},
	{
		"Accept the order", operation.Office,
		"With the preset starter the bridge is automatic: the Factory has its work order before the response arrives.",
		`curl -s -X POST BASE/office/sales-orders/$ORDER/accept \
  -H "Authorization: Bearer $PLATEN_OFFICE_KEY" > order.json
WORK=$(jq -r .data.bridged_work_order_id order.json)`,
	},
	{
		"Start a press", operation.Factory,
		"Starting a press wants an Idempotency-Key. Named after the intention, it makes every retry harmless.",
		`curl -s BASE/factory/print-runs \
  -H "Authorization: Bearer $PLATEN_FACTORY_KEY" \
  -H "Idempotency-Key: print-$WORK" \
  --json '{"press_id": "prs_digital", "work_order_id": "'$WORK'"}' | jq '.data // .error'`,
	},
	{
		"Let a day pass", operation.Shared,
		"A working day has 480 minutes and takes one minute of yours. Or move the clock: either key may.",
		`curl -s -X POST BASE/sandbox/tick \
  -H "Authorization: Bearer $PLATEN_FACTORY_KEY" | jq .data`,
	},
	{
		"Ship the goods", operation.Factory,
		"The work order is printed and finished. The goods go to the customer, and the bridge bills " +
			"them at Head Office.",
		`curl -s BASE/factory/shipments \
  -H "Authorization: Bearer $PLATEN_FACTORY_KEY" \
  -H "Idempotency-Key: ship-$WORK" \
  --json '{"work_order_id": "'$WORK'"}' | jq '.data // .error'`,
	},
	{
		"See the money", operation.Office,
		"Customers pay when their terms say, most of them. A week later the cash has grown. " +
			"Amounts are whole hundredths.",
		`for day in 1 2 3 4 5; do
  sleep 1
  curl -s -X POST BASE/sandbox/tick \
    -H "Authorization: Bearer $PLATEN_OFFICE_KEY" > /dev/null
done
curl -s BASE/office/cash \
  -H "Authorization: Bearer $PLATEN_OFFICE_KEY" | jq .data`,
	},
	{
		"Read how it happened", operation.Shared,
		"Each change of a status wrote one event. The feed numbers them without gaps, oldest first.",
		`curl -s "BASE/events?after_seq=0" \
  -H "Authorization: Bearer $PLATEN_OFFICE_KEY" |
  jq -r '.data.items[] | [.seq, .sim_date, .type] | @tsv'`,
	},
}

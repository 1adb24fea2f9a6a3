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

// pieces splits a command so that each system has its colour.
func pieces(command, baseURL string) []piece {
	text := strings.ReplaceAll(command, "BASE", baseURL)
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

// steps are the short quickstart of the landing page. They run unchanged, one after the other, in a
// shell with curl 7.82 and jq.
var steps = []step{ //nolint:gochecknoglobals // the table itself
	{
		"Create a sandbox", operation.Open,
		"You need no account. The response has two keys, one for each system. Save them: they are shown only once.",
		`curl -s -X POST BASE/sandboxes > sandbox.json
PLATEN_OFFICE_KEY=$(jq -r .data.office_key sandbox.json)
PLATEN_FACTORY_KEY=$(jq -r .data.factory_key sandbox.json)`,
	},
	{
		"Read what customers want", operation.Office,
		"Orders wait for your answer. Lists begin with the newest. Take the oldest, a small order of business cards.",
		`curl -s "BASE/office/sales-orders?status=received" \
  -H "Authorization: Bearer $PLATEN_OFFICE_KEY" > orders.json
jq -r '.data.items[] | [.number, .quantity, .product_name, .due_date] | @tsv' orders.json
ORDER=$(jq -r '.data.items[-1].id' orders.json)`,
	},
	{
		"Accept the order", operation.Office,
		"With the preset starter the bridge is automatic: it creates the work order before the response arrives.",
		`curl -s -X POST BASE/office/sales-orders/$ORDER/accept \
  -H "Authorization: Bearer $PLATEN_OFFICE_KEY" > order.json
WORK=$(jq -r .data.bridged_work_order_id order.json)`,
	},
	{
		"Start a press", operation.Factory,
		"Starting a press requires an Idempotency-Key. Name it after the job, and every retry is safe.",
		`curl -s BASE/factory/print-runs \
  -H "Authorization: Bearer $PLATEN_FACTORY_KEY" \
  -H "Idempotency-Key: print-$WORK" \
  --json '{"press_id": "prs_digital", "work_order_id": "'$WORK'"}' | jq '.data // .error'`,
	},
	{
		"Move the clock", operation.Shared,
		"A working day has 480 minutes and takes one real minute. Or move the clock yourself, with either key.",
		`curl -s -X POST BASE/sandbox/tick \
  -H "Authorization: Bearer $PLATEN_FACTORY_KEY" | jq .data`,
	},
	{
		"Ship the goods", operation.Factory,
		"The work order is printed and finished. Send the goods to the customer, and the bridge bills " +
			"them at Head Office.",
		`curl -s BASE/factory/shipments \
  -H "Authorization: Bearer $PLATEN_FACTORY_KEY" \
  -H "Idempotency-Key: ship-$WORK" \
  --json '{"work_order_id": "'$WORK'"}' | jq '.data // .error'`,
	},
	{
		"Get paid", operation.Office,
		"Most customers pay on their terms. Move the clock by a week to see the cash grow: this " +
			"order's payment and those of earlier ones. Amounts are integers in hundredths.",
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
		"Each status change wrote one event. The feed has them in order, numbered without gaps. " +
			"These are the first hundred.",
		`curl -s "BASE/events?after_seq=0&limit=100" \
  -H "Authorization: Bearer $PLATEN_OFFICE_KEY" |
  jq -r '.data.items[] | [.seq, .sim_date, .type] | @tsv'`,
	},
}

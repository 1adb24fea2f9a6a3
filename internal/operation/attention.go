package operation

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"platen/internal/company"
	"platen/internal/company/attention"
	"platen/internal/company/record"
	"platen/internal/sandbox"
	"platen/internal/words/moment"
	"platen/internal/words/money"
)

// Attention is the data of GET /sandbox/attention (contract: OPEN.ATTENTION.ITEMS).
type Attention struct {
	_ struct{} `doc:"The list of things in the company that need the client's attention, or the history of a company that has ended."`

	Items   []AttentionItem `json:"items" doc:"The items that need attention: cash below zero, then urgent ones, those with a command before others, then the rest, the most expensive first, and reputation and morale at the end; none once the company has ended."`
	History []AttentionTurn `json:"history" doc:"How a company that has ended came to that, oldest first: one that is bankrupt, or whose time is over. None before."`
	// NextCursor is always null: programs that page any data.items find the end.
	NextCursor *string `json:"next_cursor" doc:"Always null: all items are in this response."`
}

// AttentionItem is one thing that needs attention.
type AttentionItem struct {
	_ struct{} `doc:"One cause that needs the client's attention: the message, its cost and the records."`

	Kind        attention.Kind    `json:"kind" enum:"cash_negative,orders_lapse,orders_late,lots_due,press_down,press_idle,no_operator,role_vacant,material_missing,material_low,purchase_unapproved,truck_waits,goods_wait,bill_wrong,bill_repeated,bill_due,wages_due,invoice_disputed,reputation_low,morale_low,webhook_silent" doc:"The subject: cash_negative, cash below zero; orders_lapse, orders to answer by the next working day; orders_late and lots_due, accepted orders and lots that are overdue or due by then; press_down and press_idle, with work that waits; no_operator and role_vacant, people who are missing; material_missing, what waiting work lacks; material_low, below the reorder point with none on the way; purchase_unapproved, orders to suppliers that wait for approval; truck_waits, to be counted in; goods_wait, ready and not shipped; bill_wrong, asking for too much; bill_repeated, for goods that another bill asks for; bill_due, overdue, due by the next working day, or with a discount that ends today; wages_due; invoice_disputed, goods that customers miss; reputation_low and morale_low, below half; webhook_silent, a subscription that is sent nothing. New kinds may be added."`
	Urgent      bool              `json:"urgent" doc:"True if the company may go bankrupt or the next working day is too late: cash below zero, orders that lapse or are cancelled by its evening, lots that are due, bills and wages that are due today, late wages."`
	CostMinor   money.Minor       `json:"cost_minor" doc:"Roughly what it costs, in minor units, if nothing is done until the close of the next working day; 0 where it has no price of its own."`
	Message     string            `json:"message" doc:"The state of things, in a sentence or two for a person."`
	Records     []AttentionRecord `json:"records" doc:"The records that it is about, at most ten."`
	RecordCount int64             `json:"record_count" doc:"How many records it is about in all."`
	Command     *AttentionCommand `json:"command" doc:"A request that fixes it or a part of it. The server has checked that it succeeds now. Null where only time helps."`
}

// AttentionRecord names a record.
type AttentionRecord struct {
	_ struct{} `doc:"A record of the company that an attention item is about."`

	System   string `json:"system" enum:"office,factory,sandbox" doc:"Whose record it is: that of Head Office (office), of the Factory (factory), or of the sandbox itself (sandbox)."`
	Resource string `json:"resource" example:"work_order" doc:"The kind of record, as in the catalogue of events."`
	ID       string `json:"id" example:"wo_0123456789abc" doc:"The id of the record, as in its own list."`
	Number   string `json:"number" doc:"Its name for people: a number, a name or a week."`
	Path     string `json:"path" doc:"Where it is read, below the base URL." example:"/factory/work-orders/wo_0123456789abc"`
}

// AttentionCommand is a request that would succeed now.
type AttentionCommand struct {
	_ struct{} `doc:"A request that would succeed now and fixes the item that it belongs to."`

	Operation string         `json:"operation" doc:"The id of the operation." example:"start_print_run"`
	Method    string         `json:"method" enum:"POST,PATCH" doc:"The method of the request: POST for commands, PATCH for a change of a webhook subscription."`
	Path      string         `json:"path" doc:"Below the base URL." example:"/factory/print-runs"`
	Body      map[string]any `json:"body" doc:"The body to send."`
	Effect    string         `json:"effect" doc:"The effect of the command, with the money that it spends, in a sentence for a person." example:"Ships the goods of WO-3001: Business cards."`
}

// AttentionTurn is a turning point of a company that has ended.
type AttentionTurn struct {
	_ struct{} `doc:"One turning point in the history of a company that has ended."`

	Seq     *uint64     `json:"seq" doc:"The number of the event that tells of it; null for what no event tells."`
	SimDate moment.Date `json:"sim_date" doc:"The in-world day on which it happened."`
	Message string      `json:"message" doc:"The turning point, in a sentence for a person."`
}

func attentionOperation() Operation {
	return Operation{
		ID: "get_attention", Kind: Object, Method: http.MethodGet, Path: "/sandbox/attention", System: Shared,
		Grading: GradingAlone, Key: KeyNone, Status: http.StatusOK,
		Summary: "List what needs attention now",
		Description: "Everything that costs the company money, goods or its name, now or within a day: urgent " +
			"items first, then the most expensive. Each item has the records that it is about and, where there is " +
			"one, the request that fixes it: the server checks it as it would check the request itself, and changes " +
			"nothing. Records that wait to be carried across a manual bridge are not among the items. " +
			"Of a company that has ended, bankrupt or because its time is over, it tells the turning points. " +
			"The player of an evaluation reads digest.lines of a tick with brief instead.",
		Out: reflect.TypeFor[Attention](),
		Read: func(r *Reading) (*sandbox.View, any, error) {
			found, err := r.Sandbox.Attend(r.Context)
			if err != nil {
				return nil, nil, err
			}
			return found.View, AttentionOf(&found), nil
		},
	}
}

// AttentionOf shows what needs attention.
func AttentionOf(a *sandbox.Attention) Attention {
	shown := Attention{Items: []AttentionItem{}, History: history(a)}
	for i := range a.Concerns {
		k := &a.Concerns[i]
		item := AttentionItem{
			Kind: k.Kind, Urgent: k.Urgent, CostMinor: k.CostMinor, Message: k.Sentence,
			Records: []AttentionRecord{}, RecordCount: int64(k.Count), Command: commandOf(k.Remedy),
		}
		for _, r := range k.Records {
			path := rowPaths()[r.Resource]
			item.Records = append(item.Records, AttentionRecord{
				System: systemOf(path), Resource: r.Resource, ID: r.ID, Number: r.Number,
				Path: strings.Replace(path, "{id}", r.ID, 1),
			})
		}
		shown.Items = append(shown.Items, item)
	}
	return shown
}

// systemOf is the system that a path belongs to.
func systemOf(path string) string {
	for _, system := range []System{Office, Factory} {
		if strings.HasPrefix(path, "/"+string(system)+"/") {
			return string(system)
		}
	}
	return "sandbox"
}

// remedyOf is the operation that mends something.
func remedyOf(doing attention.Doing) Operation { return lookup().operations[string(doing)] }

// commandOf is the request of a remedy.
func commandOf(r *attention.Remedy) *AttentionCommand {
	if r == nil {
		return nil
	}
	op := remedyOf(r.Do)
	command := &AttentionCommand{
		Operation: op.ID, Method: op.Method, Path: strings.Replace(op.Path, "{id}", r.ID, 1), Body: map[string]any{},
		Effect: r.Effect,
	}
	text, err := json.Marshal(bodyOf(r))
	if err == nil {
		err = json.Unmarshal(text, &command.Body)
	}
	if err != nil {
		return nil
	}
	return command
}

// bodyOf is the body of a remedy's request: of the type that its operation reads.
func bodyOf(r *attention.Remedy) any {
	switch {
	case r.Do == attention.EnableWebhook:
		return UpdateWebhook{Status: new("active")}
	case r.Body == nil:
		return struct{}{}
	default:
		return r.Body
	}
}

// history are the turning points of a company that has ended, oldest first.
func history(a *sandbox.Attention) []AttentionTurn {
	turns := []AttentionTurn{}
	if !a.Ended {
		return turns
	}
	low := firstNegative(a.View)
	for i := range a.Turns {
		t := &a.Turns[i]
		if low != nil && low.SimDate <= t.On {
			turns, low = append(turns, *low), nil
		}
		turns = append(turns, AttentionTurn{Seq: &t.Sequence, SimDate: t.On, Message: attention.Turn(t.Type, t.Count)})
	}
	if low != nil {
		turns = append(turns, *low)
	}
	if s := &a.View.Summary; !s.Bankrupt {
		turns = append(turns, AttentionTurn{
			SimDate: s.Now.Date(),
			Message: fmt.Sprintf("The time of the sandbox is over, with %s in cash.", s.CashMinor),
		})
	}
	return turns
}

// firstNegative is when cash was below zero for good, nil when it never was.
func firstNegative(v *sandbox.View) *AttentionTurn {
	var turn *AttentionTurn
	for _, e := range v.Table(company.SeriesResource).Entries {
		point := record.Decode[company.SeriesPoint](e)
		switch {
		case point.CashMinor >= 0:
			turn = nil
		case turn == nil:
			turn = &AttentionTurn{
				SimDate: point.CreatedOn,
				Message: fmt.Sprintf("Cash is below zero, at %s, and stays there.", point.CashMinor),
			}
		}
	}
	return turn
}

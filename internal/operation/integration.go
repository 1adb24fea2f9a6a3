package operation

import (
	"net/http"
	"reflect"
	"slices"
	"strings"

	"platen/internal/company/integration"
	"platen/internal/company/preset"
	"platen/internal/sandbox"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/share"
)

// FindingResource names what the verifier found among the resources that can be listed.
const FindingResource = "integration_finding"

// Integration is the data of GET /sandbox/integration (contract: OPEN.INTEGRATION.SCORE).
type Integration struct {
	_ struct{} `doc:"The exactly-once score of the client's integration, in all and by kind."`

	Bridge      preset.Bridge    `json:"bridge" enum:"auto,manual" doc:"auto: nothing is judged; manual: your program is."`
	ExactlyOnce *share.PPM       `json:"exactly_once" example:"0.975" doc:"0 to 1: exact obligations, and half of the late ones, among those due, the unexpected effects and the repeated decisions. null while there is nothing to judge, and with the auto bridge."`
	Counts      IntegrationCount `json:"counts" doc:"Obligations of all kinds."`

	Client      *share.PPM    `json:"client" example:"0.8125" doc:"0 to 1: recovered among hit, the part of the writes that a fault hit that your program itself carried. null while none was hit, and with the auto bridge."`
	Hit         int64         `json:"hit" doc:"Judged intents that an injected fault hit: writes that carry or answer a record, or decide, each once, however often it was sent. A lost request or response hits one, so does an answer to come back later, and a slow response that the program gave up on. At most 1,000 are remembered; later ones count for nothing."`
	Recovered   int64         `json:"recovered" doc:"Those of hit that your program carried itself: it came back, or the record was dealt with."`
	Saved       int64         `json:"saved" doc:"Those of hit that came again with another Idempotency-Key although they had been carried out, and that only a check of the company rejected."`
	Abandoned   int64         `json:"abandoned" doc:"Those of hit that never came again and were not carried out, once the time for it was over."`
	Unrecovered []Unrecovered `json:"unrecovered" doc:"Those of hit that your program did not carry itself: saved, abandoned, or done again. The newest first, at most 20."`

	FailuresPerThousand *share.PPM `json:"failures_per_thousand" example:"12.5" doc:"Of a thousand judgements, how many are neither exact nor late. null while there is nothing to judge, and with the auto bridge."`
	DaysWithoutFailure  *int64     `json:"days_without_failure" example:"4" doc:"Working days since the last of these, or since the opening. null while there is nothing to judge, and with the auto bridge."`

	Kinds   []IntegrationKindCount `json:"kinds" doc:"The same for each kind of obligation; none with the auto bridge."`
	Manners IntegrationManners     `json:"manners" doc:"How considerate the requests of your program are; no part of the score."`
}

// Unrecovered is a write that a fault hit and that the client did not carry itself.
type Unrecovered struct {
	_ struct{} `doc:"A write that a fault hit and that your program did not carry itself."`

	Operation string              `json:"operation" example:"create_work_order" doc:"The id of the operation."`
	Outcome   integration.Outcome `json:"outcome" enum:"saved,abandoned,repeated" doc:"saved: it came again with another Idempotency-Key, and a check of the company rejected it. abandoned: it never came again, and was not carried out. repeated: it came again with another Idempotency-Key and was done again."`
	Message   string              `json:"message" example:"create_work_order for SO-1004 never came again after a fault hit it." doc:"The same in a sentence, for people."`
	Record    FindingRecord       `json:"record" doc:"The record that the write is for; of a decision the one that it made."`
	HitAt     moment.Instant      `json:"hit_at" doc:"When a fault hit it last."`
}

// maxUnrecovered is how many of them are shown (contract: OPEN.INTEGRATION.SCORE).
const maxUnrecovered = 20

// IntegrationCount counts obligations by what became of them.
type IntegrationCount struct {
	_ struct{} `doc:"All judged obligations of the client's integration, counted by verdict."`

	Due        int64 `json:"due" doc:"Obligations that have been judged. One that can still be met in time is not."`
	Exact      int64 `json:"exact" doc:"Met once, right, and by the end of the next working day."`
	Late       int64 `json:"late" doc:"Met once and right, but later."`
	Missed     int64 `json:"missed" doc:"Not met after two more working days."`
	Doubled    int64 `json:"doubled" doc:"Met more than once."`
	Wrong      int64 `json:"wrong" doc:"Met once, with another product, quantity or amount."`
	Unexpected int64 `json:"unexpected" doc:"Effects that no obligation explains. They are not among those due."`
	Repeated   int64 `json:"repeated" doc:"Decisions that were repeated because the response was lost. They are not counted in due."`
}

// IntegrationKindCount counts the obligations of a kind by their outcome.
type IntegrationKindCount struct {
	_ struct{} `doc:"The judged obligations of one kind, counted by verdict."`

	Kind        integration.Kind `json:"kind" enum:"order,lot,parcel,requisition,receipt,week,purchase,payment,decision" doc:"The thing to carry: an order or a lot to a work order, a shipment of the Factory to its bill (parcel), a requisition or a receipt to Head Office, a week to its timesheet, a requisition to its purchase, a bill to its payment. decision is a market trade, or a purchase order without a requisition, which nothing obliges to."`
	ExactlyOnce *share.PPM       `json:"exactly_once" doc:"As for all; null while there is nothing to judge."`
	IntegrationCount
}

// IntegrationManners counts how considerate the requests of the client are. It is no part of
// the score (contract: OPEN.INTEGRATION.MANNERS).
type IntegrationManners struct {
	_ struct{} `doc:"Counts that show how considerate the client's requests are; they do not change the score."`

	Requests       int64      `json:"requests" doc:"Requests to Head Office, to the Factory and to the feed while the sandbox was active."`
	Early          int64      `json:"early" doc:"Requests that came before the time that their key had been told to come back at."`
	WritesRefused  int64      `json:"writes_refused" doc:"Writes that failed with 4xx, but for 429 and press_busy, which only ask to wait."`
	TriesPerWrite  *share.PPM `json:"tries_per_write" example:"1.05" doc:"Attempts for each write that succeeded; null before the first."`
	UnchangedReads int64      `json:"unchanged_reads" doc:"Reads that got what the same key had read last: If-None-Match would have made them a 304."`
}

// Finding is a row of GET /sandbox/integration/findings (contract:
// OPEN.INTEGRATION.FINDINGS).
type Finding struct {
	_ struct{} `doc:"One obligation of the client's integration that was judged, or an effect that no obligation explains."`

	ID        string              `json:"id" example:"order.so_3q8r0v7k5n2wd" doc:"Its kind, and the id of the record that it is about."`
	Kind      integration.Kind    `json:"kind" enum:"order,lot,parcel,requisition,receipt,week,purchase,payment,decision" doc:"The thing to carry: an order or a lot to a work order, a shipment of the Factory to its bill (parcel), a requisition or a receipt to Head Office, a week to its timesheet, a requisition to its purchase, a bill to its payment. decision is a market trade, or a purchase order without a requisition, which nothing obliges to."`
	Verdict   integration.Verdict `json:"verdict" enum:"exact,late,missed,doubled,wrong,unexpected,repeated" doc:"exact, late, missed, doubled and wrong say what became of an obligation; unexpected is an effect without one, repeated a decision that was sent again with another Idempotency-Key although it had been carried out."`
	Message   string              `json:"message" example:"SO-1004 has no work order. The deadline was 2026-09-09." doc:"The finding in a sentence, for people."`
	Cause     *FindingRecord      `json:"cause" doc:"The record that obliges; null for an unexpected effect."`
	Effects   []FindingRecord     `json:"effects" doc:"The records on the other side."`
	SinceOn   moment.Date         `json:"since_on" doc:"The working day on which it could first be met; of a payment the due date, of an unexpected effect its own day."`
	DoneOn    *moment.Date        `json:"done_on" doc:"The day of the first effect; null without one."`
	Events    []FindingEvent      `json:"events" doc:"The events that show it, oldest first: those about these records, and those that name them."`
	UpdatedAt moment.Instant      `json:"updated_at" doc:"When one of the records last changed, or when it was too late."`
}

// FindingRecord names a record.
type FindingRecord struct {
	_ struct{} `doc:"A record of Head Office or the Factory that a finding is about."`

	System   event.System `json:"system" enum:"office,factory,hr" doc:"The side that it is on: office, factory or hr."`
	Resource string       `json:"resource" example:"sales_order" doc:"The kind of the record."`
	ID       string       `json:"id" doc:"The id of the record."`
	Number   *string      `json:"number" example:"SO-1004" doc:"null for a record without one."`
	Path     string       `json:"path" example:"/office/sales-orders/so_3q8r0v7k5n2wd" doc:"Where to read it, relative to the base URL."`
}

// FindingEvent names an event of the feed.
type FindingEvent struct {
	_ struct{} `doc:"An event of the feed that is evidence for a finding."`

	Seq  uint64     `json:"seq" doc:"The number of the event in the feed."`
	ID   string     `json:"id" doc:"The id of the event."`
	Type event.Type `json:"type" doc:"The type of the event."`
}

// IntegrationOf makes the score of a verification.
func IntegrationOf(v *sandbox.Verification) Integration {
	r := Integration{
		Bridge: v.View.Summary.Settings.Bridge, ExactlyOnce: v.Result.Total.ExactlyOnce(),
		Counts: countOf(&v.Result.Total), Kinds: []IntegrationKindCount{},
		FailuresPerThousand: v.Result.Total.FailuresPerThousand(), DaysWithoutFailure: v.Result.DaysWithoutFailure,
		Client: v.Result.Recovery.Client(), Hit: v.Result.Recovery.Hit, Recovered: v.Result.Recovery.Recovered,
		Saved: v.Result.Recovery.Saved, Abandoned: v.Result.Recovery.Abandoned, Unrecovered: []Unrecovered{},
		Manners: IntegrationManners{
			Requests: v.Manners.Requests, Early: v.Manners.Early, WritesRefused: v.Refused,
			UnchangedReads: v.Manners.Again,
		},
	}
	for i := range v.Result.Recovery.Unrecovered[:min(len(v.Result.Recovery.Unrecovered), maxUnrecovered)] {
		u := &v.Result.Recovery.Unrecovered[i]
		r.Unrecovered = append(r.Unrecovered, Unrecovered{
			Operation: u.Operation, Outcome: u.Outcome, Message: u.Text, Record: recordOf(&u.Record), HitAt: u.Hit,
		})
	}
	if v.Manners.Done > 0 {
		r.Manners.TriesPerWrite = new(share.PPM(v.Manners.Attempts * 1_000_000 / v.Manners.Done))
	}
	if v.Manual {
		for _, kind := range integration.Kinds() {
			count := v.Result.ByKind[kind]
			r.Kinds = append(r.Kinds, IntegrationKindCount{
				Kind: kind, ExactlyOnce: count.ExactlyOnce(), IntegrationCount: countOf(&count),
			})
		}
	}
	return r
}

func countOf(c *integration.Count) IntegrationCount {
	return IntegrationCount{
		Due: c.Due, Exact: c.Exact, Late: c.Late, Missed: c.Missed, Doubled: c.Doubled, Wrong: c.Wrong,
		Unexpected: c.Unexpected, Repeated: c.Repeated,
	}
}

// Failures returns the findings that are not exact, newest first, at most so many, and the number
// of all of them.
func Failures(v *sandbox.Verification, most int) (failures []*integration.Finding, all int) {
	for i := range slices.Backward(v.Result.Findings) {
		if f := &v.Result.Findings[i]; f.Verdict != integration.Exact {
			if all++; all <= most {
				failures = append(failures, f)
			}
		}
	}
	return failures, all
}

// Records are the ids and numbers of all records of a finding.
func Records(f *integration.Finding) []string {
	var ids []string
	name := func(r *integration.Record) {
		ids = append(ids, r.ID)
		if r.Number != "" {
			ids = append(ids, r.Number)
		}
	}
	if f.Cause != nil {
		name(f.Cause)
	}
	for i := range f.Effects {
		name(&f.Effects[i])
	}
	return ids
}

// FindingOf returns the row of a finding, with the events of its records.
func FindingOf(f *integration.Finding, trails map[string][]sandbox.EventName) Finding {
	row := Finding{
		Kind: f.Kind, Verdict: f.Verdict, Message: f.Text, Effects: []FindingRecord{}, SinceOn: f.Since.Date(),
		Events: []FindingEvent{}, UpdatedAt: f.Updated,
	}
	if f.Cause != nil {
		cause := recordOf(f.Cause)
		row.Cause, row.ID = &cause, string(f.Kind)+"."+cause.ID
	}
	for i := range f.Effects {
		row.Effects = append(row.Effects, recordOf(&f.Effects[i]))
	}
	if f.Cause == nil {
		row.ID = string(f.Kind) + "." + f.Effects[0].ID
	}
	if f.Done != nil {
		row.DoneOn = new(f.Done.Date())
	}
	for _, id := range Records(f) {
		for _, e := range trails[id] {
			row.Events = append(row.Events, FindingEvent{Seq: e.Sequence, ID: e.ID, Type: e.Type})
		}
	}
	slices.SortFunc(row.Events, func(a, b FindingEvent) int { return int(a.Seq) - int(b.Seq) })
	row.Events = slices.Compact(row.Events)
	return row
}

func recordOf(r *integration.Record) FindingRecord {
	row := FindingRecord{System: r.System, Resource: r.Resource, ID: r.ID}
	if r.Resource == "attendance" { // a week of it, which is no record of its own
		row.Path = "/factory/attendance?week_start=" + r.ID
		return row
	}
	if r.Number != "" {
		row.Number = &r.Number
	}
	row.Path = strings.Replace(rowPaths()[r.Resource], "{id}", r.ID, 1)
	return row
}

// rowPaths are the paths at which rows are read, by their resources.
func rowPaths() map[string]string { return lookup().rowPaths }

func integrationOperations() []Operation {
	return []Operation{
		{
			ID: "get_integration", Kind: Object, Method: http.MethodGet, Path: "/sandbox/integration", System: Shared,
			Grading: GradingAlone, Key: KeyNone, Status: http.StatusOK,
			Summary: "Get the exactly-once score",
			Description: "How your integration carried records between the systems. Each record that must have one " +
				"effect on the other side is an obligation: it has the effect once, twice, wrongly, late or never. " +
				"An obligation is graded in working days, once its time is over: gaps that you can still close are " +
				"not shown.",
			Out: reflect.TypeFor[Integration](),
			Read: func(r *Reading) (*sandbox.View, any, error) {
				found, err := r.Sandbox.Verify(r.Context)
				if err != nil {
					return nil, nil, err
				}
				return found.View, IntegrationOf(&found), nil
			},
		},
		{
			ID: "list_integration_findings", Kind: List, Method: http.MethodGet, Path: "/sandbox/integration/findings",
			System: Shared, Grading: GradingAlone, Key: KeyNone, Status: http.StatusOK,
			Summary: "List the findings behind the score",
			Description: "Each obligation that has been judged, each unexpected effect and each repeated decision, " +
				"with the records and the events that show it. Failures and late effects come before exact ones, " +
				"the newest first. verdict=missed lists what was lost, verdict=doubled what was done twice.",
			Resource: FindingResource, Filters: []string{"kind", "verdict"}, Out: reflect.TypeFor[Finding](),
		},
	}
}

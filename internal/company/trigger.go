package company

import (
	"fmt"
	"slices"

	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/money"
	"platen/internal/words/problem"
)

// A trigger starts something that the world otherwise does by itself, by a true cause: an order
// is one of a customer, an illness keeps an employee from work, a press that is down
// does not print. No event is forged. Its effects are in the log like everything else
// (contract: OPEN.TRIGGER.CAUSE).

// PullTrigger is the body of POST /sandbox/triggers. Fields that are left out are left to the trigger.
type PullTrigger struct {
	_ struct{} `doc:"The body that triggers an event in the sandbox, such as a press breakdown."`

	Type              string       `json:"type" required:"true" minLength:"1" maxLength:"40" example:"order" doc:"The type of the trigger; GET /sandbox/triggers lists them."`
	SKU               *string      `json:"sku,omitzero" maxLength:"40" example:"prd_flyer" doc:"The product or material."`
	Quantity          *int64       `json:"quantity,omitzero" minimum:"1" maximum:"10000" doc:"Units of the product."`
	CustomerID        *string      `json:"customer_id,omitzero" maxLength:"40" example:"cus_lumen" doc:"The customer who orders."`
	UnitPriceMinor    *money.Minor `json:"unit_price_minor,omitzero" minimum:"1" doc:"The price of one unit, in minor units: at most ten times the list price."`
	DueDate           *moment.Date `json:"due_date,omitzero" doc:"The working day on which the goods are wanted, in place of days: at most 60 from today, for a lot after the day of its answer."`
	Days              *int64       `json:"days,omitzero" minimum:"1" maximum:"60" doc:"Working days."`
	Pct               *int64       `json:"pct,omitzero" minimum:"-50" maximum:"100" doc:"Per cent."`
	BadgeNo           *string      `json:"badge_no,omitzero" maxLength:"20" doc:"The badge of an employee."`
	PressID           *string      `json:"press_id,omitzero" maxLength:"40" doc:"The press that is down."`
	CustomerInvoiceID *string      `json:"customer_invoice_id,omitzero" maxLength:"40" doc:"The invoice that a customer pays, or does not."`
	PurchaseOrderID   *string      `json:"purchase_order_id,omitzero" maxLength:"40" doc:"The order whose truck or bill is meant."`
}

// Triggered is the result of a trigger.
type Triggered struct {
	// Resource and ID name the record that it is about.
	Resource, ID string
	// At is when it happens: now, or later.
	At sim.Minute
}

// Trigger is something that can be triggered.
type Trigger struct {
	Type string
	// Summary says what happens, Needs what there has to be, "" for nothing.
	Summary, Needs string
	// Fields are those of the input that it reads.
	Fields []string
	// Events are the types that follow from it, at once or in time.
	Events []event.Type

	run func(c *Company, in *PullTrigger) (Triggered, error)
}

// Names of the fields of a PullTrigger.
const (
	fieldSKU      = "sku"
	fieldQuantity = "quantity"
	fieldCustomer = "customer_id"
	fieldPrice    = "unit_price_minor"
	fieldDue      = "due_date"
	fieldDays     = "days"
	fieldPct      = "pct"
	fieldBadge    = "badge_no"
	fieldPress    = "press_id"
	fieldInvoice  = "customer_invoice_id"
	fieldPurchase = "purchase_order_id"
)

// Bounds of what can be asked for.
const (
	// MaxTriggerQuantity is the most units of an order, MaxTriggerDays the most working
	// days.
	MaxTriggerQuantity = 10_000
	MaxTriggerDays     = 60
	// maxLotQuantity is the most units of a lot: as many as a work order can have. maxPriceTimes is the highest price,
	// in list prices.
	maxLotQuantity, maxPriceTimes = 5_000, 10
)

// Triggers lists all triggers, in the order of teaching.
func Triggers() []Trigger { return triggers }

// TriggerOf returns the trigger of a type.
func TriggerOf(kind string) (Trigger, bool) {
	i := slices.IndexFunc(triggers, func(t Trigger) bool { return t.Type == kind })
	if i < 0 {
		return Trigger{}, false
	}
	return triggers[i], true
}

// given lists the fields that have a value.
func (in *PullTrigger) given() []string {
	var names []string
	for _, field := range []struct {
		name string
		set  bool
	}{
		{fieldSKU, in.SKU != nil}, {fieldQuantity, in.Quantity != nil}, {fieldDays, in.Days != nil},
		{fieldCustomer, in.CustomerID != nil}, {fieldPrice, in.UnitPriceMinor != nil}, {fieldDue, in.DueDate != nil},
		{fieldPct, in.Pct != nil}, {fieldBadge, in.BadgeNo != nil}, {fieldPress, in.PressID != nil},
		{fieldInvoice, in.CustomerInvoiceID != nil}, {fieldPurchase, in.PurchaseOrderID != nil},
	} {
		if field.set {
			names = append(names, field.name)
		}
	}
	return names
}

// Trigger brings something about. It refuses with validation_failed when a field is none
// of the trigger's or has an impossible value, with not_found for a record that there is
// not, and with trigger_impossible when the cause cannot be.
func (c *Company) Trigger(in *PullTrigger) (Triggered, error) {
	t, ok := TriggerOf(in.Type)
	if !ok {
		return Triggered{}, problem.Invalid(problem.Field{
			Field: "type", Rule: "enum",
			Message: fmt.Sprintf("%q is no trigger; GET /sandbox/triggers lists them.", in.Type),
		})
	}
	var fields []problem.Field
	for _, name := range in.given() {
		if !slices.Contains(t.Fields, name) {
			fields = append(fields, problem.Field{
				Field: name, Rule: "additionalProperties",
				Message: fmt.Sprintf("The trigger %s takes no %s.", in.Type, name),
			})
		}
	}
	if len(fields) > 0 {
		return Triggered{}, problem.Invalid(fields...)
	}
	done, err := t.run(c, in)
	if err == nil {
		c.assisted = true
		c.rec.Touch()
	}
	return done, err
}

// impossible refuses a trigger whose cause cannot be.
func impossible(reason string) error { return problem.New(problem.TriggerImpossible, "%s", reason) }

// Moment returns when something happens, as clients read it.
func (t *Triggered) Moment() (date moment.Date, clock string) { return t.At.Date(), t.At.ClockText() }

// notThat is impossible for the record that was named, or for any when none was.
func notThat(named *string, that, all string) error {
	if named != nil {
		return impossible(that)
	}
	return impossible(all)
}

package office

import (
	"fmt"
	"strconv"
	"strings"

	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/money"
	"platen/internal/words/problem"
)

// ContractLotStatus is the status of a contract lot.
//
//	offered ──accept──▶ accepted ──office shipment──▶ delivered
//	   │ └────decline─▶ declined └──goods not in time──┴──▶ expired, with a penalty
//	   └──unanswered──▶ expired
type ContractLotStatus string

// Statuses.
const (
	LotOffered   ContractLotStatus = "offered"
	LotAccepted  ContractLotStatus = "accepted"
	LotDeclined  ContractLotStatus = "declined"
	LotExpired   ContractLotStatus = "expired"
	LotDelivered ContractLotStatus = "delivered"
)

// OfferLapsed is the reason of a lot that expired unanswered; DeliveryMissed is
// the other reason.
const OfferLapsed = "offer_lapsed"

// Timers of lots. Their Ref is the lot's id.
const (
	TimerOfferLapses = "contract_lot.offer_lapses"
	TimerLotMissed   = "contract_lot.delivery_missed"
	// TimerLotOffer may bring an offer when a day opens.
	TimerLotOffer = "contract_lot.offer"
)

const (
	firstLotNumber = 1
	// lotCustomer is the customer that gives framework contracts.
	lotCustomer = "cus_fennimore"
	// reputationLotMissed is the loss by a missed lot, in parts per million.
	reputationLotMissed = -50_000
)

// ContractLot is a bulk order at a low price with a penalty for being late.
type ContractLot struct {
	_ struct{} `doc:"A bulk order from a framework customer of Head Office, at a low price and with a penalty for delay."`

	record.Head
	Number         string            `json:"number" doc:"The number of the lot on paper, such as LOT-0001. A reference may name it instead of the id."`
	CustomerID     string            `json:"customer_id" doc:"The framework customer who offers it: the id at /office/customers."`
	SKU            string            `json:"sku" doc:"The product that is wanted, such as prd_flyer. The Factory knows it by the same SKU."`
	ProductName    string            `json:"product_name" doc:"The product's name, for people."`
	Unit           string            `json:"unit" doc:"The content of one unit of quantity, such as 100 flyers."`
	Quantity       int64             `json:"quantity" doc:"How many units are wanted. A lot is shipped in full."`
	UnitPriceMinor money.Minor       `json:"unit_price_minor" doc:"The price of one unit that the customer offers, in minor units."`
	TotalMinor     money.Minor       `json:"total_minor" doc:"quantity times unit_price_minor, in minor units."`
	PenaltyMinor   money.Minor       `json:"penalty_minor" doc:"The penalty for an accepted lot that is not delivered in time."`
	Currency       string            `json:"currency" doc:"Always XTS. Amounts count its hundredths."`
	AnswerBy       moment.Date       `json:"answer_by" doc:"The last date on which it can be accepted or declined. It expires when the next working day opens, without a penalty."`
	DeliverBy      moment.Date       `json:"deliver_by" doc:"The last day on which the goods may reach the customer."`
	Status         ContractLotStatus `json:"status" enum:"offered,accepted,declined,expired,delivered" doc:"offered waits for your answer, accepted for the goods; delivered is shipped and billed at Head Office, and expires all the same if the goods do not come in time. declined and expired are final."`
	WorkOrderRef   *string           `json:"work_order_ref" doc:"The work order at the Factory that the auto bridge created on acceptance; null before, and with the bridge manual."`
	ShipmentID     *string           `json:"shipment_id" doc:"The shipment at Head Office that billed it; null before."`
	InvoiceID      *string           `json:"invoice_id" doc:"The customer invoice that bills it; null before."`
	ExpiredReason  *string           `json:"expired_reason" enum:"offer_lapsed,delivery_missed" doc:"offer_lapsed: not answered by answer_by. delivery_missed: accepted, and the goods had not come by deliver_by, billed or not. Null unless the status is expired."`
	record.Stamps
}

// ContractLotPrivate holds the state of a lot that is never served.
type ContractLotPrivate struct {
	// AcceptedOn is the day on which the client accepted it, nil before.
	AcceptedOn *sim.Day `json:"accepted_on,omitzero"`
	// Arrived is how much of the right goods reached the customer, ArrivedOn
	// the day on which the last of it did.
	Arrived   int64    `json:"arrived,omitzero"`
	ArrivedOn *sim.Day `json:"arrived_on,omitzero"`
}

// Resource implements record.Row.
func (*ContractLot) Resource() string { return "contract_lot" }

// State implements record.Row.
func (l *ContractLot) State() string { return string(l.Status) }

func newContractLots() *record.Table[ContractLot, ContractLotPrivate] {
	return record.NewTable(record.Definition{Resource: "contract_lot", Prefix: "lot"},
		[]record.Filter[ContractLot, ContractLotPrivate]{
			{Name: "status", Of: (*ContractLot).State},
		})
}

// lotStreams are the random streams of offers; their coordinate is the day.
type lotStreams struct {
	offer, first, product, sheets, price, deliver sim.Stream
}

func newLotStreams(seed uint64) lotStreams {
	stream := func(name string) sim.Stream { return sim.NewStream(seed, "lot."+name) }
	return lotStreams{
		offer: stream("n"), first: stream("first"), product: stream("p"), sheets: stream("q"), price: stream("u"),
		deliver: stream("d"),
	}
}

// OfferLot makes a framework customer offer a lot on some days: the first
// within the first days for certain. Its product follows from the day.
func (o *Office) OfferLot(r *record.Recorder) {
	p, s, day := o.preset.Lots, &o.lots, int64(r.Today())
	if p.EveryDays == 0 || day < p.FirstDays[0] {
		return
	}
	forced := p.FirstDays[0] + s.first.Below(p.FirstDays[1]-p.FirstDays[0]+1)
	if day != forced && s.offer.Below(p.EveryDays, day) > 0 {
		return
	}
	products := catalog.LotProducts()
	product := products[s.product.Below(int64(len(products)), day)]
	quantity := max(1, between(s.sheets, p.Sheets[0], p.Sheets[1], day)/product.SheetsPerUnit)
	o.offer(r, lotTerms{
		product: product, quantity: quantity, answerDays: p.AnswerDays,
		deliverDays: between(s.deliver, p.DeliverDays[0], p.DeliverDays[1], day),
		price:       product.ListPriceMinor.Scaled(between(s.price, p.PricePct[0]*pctPPM, p.PricePct[1]*pctPPM, day)),
	})
}

// lotTerms are the terms of a framework customer's offer.
type lotTerms struct {
	product                           catalog.Product
	quantity, answerDays, deliverDays int64
	price                             money.Minor
}

// offer adds a lot and its event, and returns its id.
func (o *Office) offer(r *record.Recorder, t lotTerms) string {
	product, price := t.product, max(1, t.price)
	total := price.Times(t.quantity)
	lot, _ := o.ContractLots.Add(r, ContractLot{
		Number:     fmt.Sprintf("LOT-%04d", firstLotNumber+o.ContractLots.Rows.Len()),
		CustomerID: lotCustomer, SKU: product.SKU, ProductName: product.Name, Unit: product.Unit,
		Quantity: t.quantity, UnitPriceMinor: price, TotalMinor: total,
		PenaltyMinor: total.PerCent(o.preset.Lots.PenaltyPct),
		Currency:     money.Currency, AnswerBy: (r.Today() + sim.Day(t.answerDays)).Date(),
		DeliverBy: (r.Today() + sim.Day(t.deliverDays)).Date(),
		Status:    LotOffered,
	}, ContractLotPrivate{})
	o.State.OfferedLots++
	r.Born(lot)
	r.Set(sim.Timer{Due: sim.DayAfter(lot.AnswerBy).Open(), Class: sim.ClassLapse, Kind: TimerOfferLapses, Ref: lot.ID})
	r.Emit(event.ContractLotOffered, lot, &event.ContractLotOfferedData{
		Number: lot.Number, SKU: lot.SKU, Quantity: lot.Quantity, UnitPriceMinor: lot.UnitPriceMinor,
		TotalMinor: lot.TotalMinor, PenaltyMinor: lot.PenaltyMinor, AnswerBy: lot.AnswerBy,
		DeliverBy: lot.DeliverBy,
	})
	return lot.ID
}

// pctPPM is how many parts per million a per cent is.
const pctPPM = sim.Million / 100

// LotAnswerable returns a lot that can still be accepted or declined.
func (o *Office) LotAnswerable(id string) (*ContractLot, error) {
	return o.lotIn(id, LotOffered, "accepted or declined")
}

// LotShippable returns a lot that can be shipped in full. quantity is the one
// that the client named, nil when none.
func (o *Office) LotShippable(id string, quantity *int64) (*ContractLot, error) {
	lot, err := o.lotIn(id, LotAccepted, "shipped")
	if delivered, ok := o.ContractLots.Find(id); ok && o.DoubleWork && delivered.Status == LotDelivered {
		lot, err = delivered, nil
	}
	if err == nil && quantity != nil && *quantity != lot.Quantity {
		err = problem.New(problem.QuantityMismatch, "The lot %s is for %d, not %d; a lot is shipped in full.",
			lot.Number, lot.Quantity, *quantity).
			With(problem.QuantityDetails{Quantity: lot.Quantity})
	}
	return lot, err
}

// lotIn returns a lot with the status that it must have to be accepted, for instance.
func (o *Office) lotIn(id string, status ContractLotStatus, done string) (*ContractLot, error) {
	lot, ok := o.ContractLots.Find(id)
	if !ok {
		return nil, problem.Missing("contract_lot", id)
	}
	if lot.Status != status {
		return nil, problem.WrongState("contract_lot", lot.Number, string(lot.Status), done, string(status))
	}
	return lot, nil
}

// AcceptLot takes a lot on. The work order's id is the bridge's.
func (o *Office) AcceptLot(r *record.Recorder, id string, workOrderID *string) {
	lot, private := o.ContractLots.Edit(r, id)
	private.AcceptedOn = new(r.Today())
	lot.WorkOrderRef = workOrderID
	record.Move(r, lot, &lot.Status, LotAccepted)
	o.State.OfferedLots--
	r.Set(sim.Timer{Due: sim.DayAfter(lot.DeliverBy).Open(), Class: sim.ClassMissed, Kind: TimerLotMissed, Ref: id})
	r.Emit(event.ContractLotAccepted, lot,
		&event.ContractLotAcceptedData{Number: lot.Number, DeliverBy: lot.DeliverBy, BridgedWorkOrderID: workOrderID})
}

// DeclineLot turns a lot down.
func (o *Office) DeclineLot(r *record.Recorder, id string) {
	lot, _ := o.ContractLots.Edit(r, id)
	record.Move(r, lot, &lot.Status, LotDeclined)
	o.State.OfferedLots--
	r.Emit(event.ContractLotDeclined, lot, &event.ContractLotDeclinedData{Number: lot.Number})
}

// OfferLapses expires a lot that was not answered in time.
func (o *Office) OfferLapses(r *record.Recorder, id string) {
	if lot, _ := o.ContractLots.Find(id); lot.Status == LotOffered {
		o.State.OfferedLots--
		o.expireLot(r, id, OfferLapsed)
	}
}

// LotMissed expires a lot that was accepted and whose goods have not come in time, billed or not: the penalty
// leaves the company, with or without cash. A customer that has the goods waits for
// the bill (contract: OPEN.STATE.CONTRACT_LOT).
func (o *Office) LotMissed(r *record.Recorder, id string) {
	if lot, _ := o.ContractLots.Find(id); o.LotAwaited(lot) {
		o.State.ExpiredLots++
		o.changeReputation(reputationLotMissed)
		o.expireLot(r, id, DeliveryMissed)
	}
}

func (o *Office) expireLot(r *record.Recorder, id, reason string) {
	lot, _ := o.ContractLots.Edit(r, id)
	lot.ExpiredReason = &reason
	record.Move(r, lot, &lot.Status, LotExpired)
	penalty := money.Minor(0)
	if reason == DeliveryMissed {
		penalty = lot.PenaltyMinor
	}
	eventID := r.Emit(event.ContractLotExpired, lot, &event.ContractLotExpiredData{
		Number: lot.Number, Reason: reason, PenaltyMinor: penalty, CashMinor: o.State.CashMinor - penalty,
	})
	if penalty > 0 {
		o.Spend(r, penalty, LotPenalty, eventID, id)
	}
}

// ShipLot records that a lot went out and bills it. The lot must be
// shippable. It returns the shipment's id.
func (o *Office) ShipLot(r *record.Recorder, id string, factoryRef *string, source string) string {
	if lot, _ := o.ContractLots.Find(id); lot.InvoiceID != nil {
		return o.billAgain(r, CustomerInvoice{ContractLotID: &lot.ID, CustomerID: lot.CustomerID,
			GrossMinor: lot.TotalMinor}, lot.Quantity, factoryRef)
	}
	lot, private := o.ContractLots.Edit(r, id)
	shipmentID := o.Shipments.Rows.NextID(r)
	lot.ShipmentID, lot.InvoiceID = &shipmentID, new(o.CustomerInvoices.Rows.NextID(r))
	record.Move(r, lot, &lot.Status, LotDelivered)
	r.Emit(event.ContractLotDelivered, lot, &event.ContractLotDeliveredData{
		Number: lot.Number, ShipmentID: shipmentID, TotalMinor: lot.TotalMinor, OnTime: true,
	})
	customer, _ := catalog.CustomerByID(lot.CustomerID)
	o.raise(r, CustomerInvoice{
		ContractLotID: &lot.ID, CustomerID: lot.CustomerID, GrossMinor: lot.TotalMinor,
		IssuedOn: r.Date(), DueDate: sim.DayFrom(r.Date().AddDays(customer.Terms)).Date(),
	}, Shipment{ContractLotID: &lot.ID, Quantity: lot.Quantity, FactoryShipmentRef: factoryRef, Source: source})
	if private.ArrivedOn != nil {
		o.fulfilLot(r, lot)
	}
	return shipmentID
}

// fulfilLot settles a lot whose goods have arrived and which has been billed,
// whichever came last. The goods are in time: a lot without them expires.
func (o *Office) fulfilLot(r *record.Recorder, lot *ContractLot) {
	o.State.DeliveredLots++
	o.changeReputation(reputationOnTime)
	o.schedulePayments(r, *lot.InvoiceID)
}

// LotByReference finds the lot that a parcel is addressed to: by its id or its
// number.
func (o *Office) LotByReference(reference string) (*ContractLot, bool) {
	reference = catalog.Folded(reference)
	if lot, ok := o.ContractLots.Find(reference); ok {
		return lot, true
	}
	digits, ok := strings.CutPrefix(reference, "lot-")
	if !ok {
		return nil, false
	}
	number, err := strconv.Atoi(digits)
	if err != nil {
		return nil, false
	}
	lot, ok := o.ContractLots.Find(o.ContractLots.Rows.IDAt(number - firstLotNumber))
	if !ok || catalog.Folded(lot.Number) != reference {
		return nil, false
	}
	return lot, true
}

// LotArrived reports whether the customer has got all of a lot.
func (o *Office) LotArrived(lot *ContractLot) bool {
	return record.Private(o.ContractLots, lot.ID).ArrivedOn != nil
}

// LotAwaited reports whether the customer of an accepted lot waits for the goods, billed or not.
func (o *Office) LotAwaited(lot *ContractLot) bool {
	return lot.Status != LotOffered && !o.LotOver(lot)
}

// LotOver reports whether the customer of a lot takes no more goods: they have come, or the lot was declined or has
// expired.
func (o *Office) LotOver(lot *ContractLot) bool {
	return o.LotArrived(lot) || lot.Status == LotDeclined || lot.Status == LotExpired
}

// CompletesLot reports whether the customer has all of a lot once a parcel with
// so much of a product has arrived.
func (o *Office) CompletesLot(lot *ContractLot, sku string, quantity int64) bool {
	return lot.SKU == sku &&
		(o.LotArrived(lot) || record.Private(o.ContractLots, lot.ID).Arrived+quantity >= lot.Quantity)
}

// lotArrives is the customer's side of a parcel for a lot, and returns the
// goods' value at the price of the lot.
func (o *Office) lotArrives(r *record.Recorder, lot *ContractLot, sku string, quantity int64) (worth money.Minor) {
	if lot.SKU != sku || lot.Status == LotOffered || o.LotOver(lot) {
		return 0
	}
	private := record.EditPrivate(o.ContractLots, r, lot.ID)
	private.Arrived += quantity
	worth = lot.UnitPriceMinor.Times(quantity)
	if private.Arrived < lot.Quantity {
		return worth
	}
	private.ArrivedOn = new(r.Today())
	if lot.Status == LotDelivered {
		o.fulfilLot(r, lot)
	}
	return worth
}

func (o *Office) checkLots() error {
	offered, delivered := int64(0), int64(0)
	for lot := range o.ContractLots.All {
		if lot.Status == LotOffered {
			offered++
		}
		if lot.Status == LotDelivered && o.LotArrived(lot) {
			delivered++
		}
		bill, billed := lot.InvoiceID != nil, lot.Status == LotDelivered
		if bill != (lot.ShipmentID != nil) || bill != billed && (!bill || lot.Status != LotExpired) {
			return fmt.Errorf("contract lot %s is %s with the shipment %v", lot.ID, lot.Status, lot.ShipmentID)
		}
	}
	if offered != o.State.OfferedLots || delivered != o.State.DeliveredLots {
		return fmt.Errorf("%d lots are offered and %d delivered, counted were %d and %d",
			offered, delivered, o.State.OfferedLots, o.State.DeliveredLots)
	}
	return nil
}

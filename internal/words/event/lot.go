package event

import (
	"platen/internal/words/moment"
	"platen/internal/words/money"
)

// ContractLotOfferedData is the data of office.contract_lot.offered.
type ContractLotOfferedData struct {
	Head
	Number         string      `json:"number" doc:"The number of the lot on paper."`
	SKU            string      `json:"sku" doc:"The product that is wanted, such as prd_flyer."`
	Quantity       int64       `json:"quantity" doc:"How many units are wanted."`
	UnitPriceMinor money.Minor `json:"unit_price_minor" doc:"The price of one unit, in minor units."`
	TotalMinor     money.Minor `json:"total_minor" doc:"quantity times unit_price_minor, in minor units."`
	PenaltyMinor   money.Minor `json:"penalty_minor" doc:"The penalty for an accepted lot that is not delivered in time, in minor units."`
	AnswerBy       moment.Date `json:"answer_by" doc:"The last date on which it can be accepted or declined."`
	DeliverBy      moment.Date `json:"deliver_by" doc:"The last date on which the goods may reach the customer."`
	Riders
}

// ContractLotAcceptedData is the data of office.contract_lot.accepted.
type ContractLotAcceptedData struct {
	Head
	Number             string      `json:"number" doc:"The number of the lot on paper."`
	DeliverBy          moment.Date `json:"deliver_by" doc:"The last date on which the goods may reach the customer."`
	BridgedWorkOrderID *string     `json:"bridged_work_order_id" doc:"The work order at the Factory that the auto bridge made; null with the bridge manual."`
	Riders
}

// ContractLotDeclinedData is the data of office.contract_lot.declined.
type ContractLotDeclinedData struct {
	Head
	Number string `json:"number" doc:"The number of the lot on paper."`
	Riders
}

// ContractLotExpiredData is the data of office.contract_lot.expired.
type ContractLotExpiredData struct {
	Head
	Number       string      `json:"number" doc:"The number of the lot on paper."`
	Reason       string      `json:"reason" enum:"offer_lapsed,delivery_missed" doc:"offer_lapsed: not answered by answer_by. delivery_missed: accepted, and the goods had not come by deliver_by, billed or not."`
	PenaltyMinor money.Minor `json:"penalty_minor" doc:"The penalty that left the company, in minor units; 0 for an offer that lapsed."`
	CashMinor    money.Minor `json:"cash_minor" doc:"The cash of the company afterwards, in minor units."`
	Riders
}

// ContractLotDeliveredData is the data of office.contract_lot.delivered.
type ContractLotDeliveredData struct {
	Head
	Number     string      `json:"number" doc:"The number of the lot on paper."`
	ShipmentID string      `json:"shipment_id" doc:"The shipment at Head Office that billed it."`
	TotalMinor money.Minor `json:"total_minor" doc:"The price of the lot, in minor units."`
	OnTime     bool        `json:"on_time" doc:"True until something else is known: where the bill came before the goods, office.contract_lot.expired corrects it if they do not come by deliver_by."`
	Riders
}

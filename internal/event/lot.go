package event

import (
	"platen/internal/moment"
	"platen/internal/money"
)

// ContractLotOfferedData is the data of office.contract_lot.offered.
type ContractLotOfferedData struct {
	Head
	Number         string      `json:"number"`
	SKU            string      `json:"sku"`
	Quantity       int64       `json:"quantity"`
	UnitPriceMinor money.Minor `json:"unit_price_minor"`
	TotalMinor     money.Minor `json:"total_minor"`
	PenaltyMinor   money.Minor `json:"penalty_minor"`
	AnswerBy       moment.Date `json:"answer_by"`
	DeliverBy      moment.Date `json:"deliver_by"`
	Riders
}

// ContractLotAcceptedData is the data of office.contract_lot.accepted.
type ContractLotAcceptedData struct {
	Head
	Number             string      `json:"number"`
	DeliverBy          moment.Date `json:"deliver_by"`
	BridgedWorkOrderID *string     `json:"bridged_work_order_id"`
	Riders
}

// ContractLotDeclinedData is the data of office.contract_lot.declined.
type ContractLotDeclinedData struct {
	Head
	Number string `json:"number"`
	Riders
}

// ContractLotExpiredData is the data of office.contract_lot.expired.
type ContractLotExpiredData struct {
	Head
	Number string `json:"number"`
	Reason string `json:"reason" enum:"offer_lapsed,delivery_missed"`
	// PenaltyMinor is the amount that left the company: 0 for an offer that
	// lapsed.
	PenaltyMinor money.Minor `json:"penalty_minor"`
	CashMinor    money.Minor `json:"cash_minor"`
	Riders
}

// ContractLotDeliveredData is the data of office.contract_lot.delivered.
type ContractLotDeliveredData struct {
	Head
	Number     string      `json:"number"`
	ShipmentID string      `json:"shipment_id"`
	TotalMinor money.Minor `json:"total_minor"`
	OnTime     bool        `json:"on_time"`
	Riders
}

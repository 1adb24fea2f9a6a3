package preset

import (
	"platen/internal/words/money"
	"platen/internal/words/share"
)

// Supply is the behaviour of suppliers, and the limit of purchases without
// approval.
type Supply struct {
	LeadFactor         share.PPM `json:"lead_factor" doc:"Scales suppliers' lead times; above 0, at most 10."`
	PriceFactor        share.PPM `json:"price_factor" doc:"Scales suppliers' prices; above 0, at most 10."`
	BillingErrorFactor share.PPM `json:"billing_error_factor" doc:"Scales how often a bill has a wrong price; 0 to 10."`
	TwoTrucksFactor    share.PPM `json:"two_trucks_factor" doc:"Scales how often an order comes on two trucks; 0 to 10."`
	BilledTwiceFactor  share.PPM `json:"billed_twice_factor" doc:"Scales how often a bill comes a second time; 0 to 10."`
	// POApprovalMinor is the largest purchase order, RequisitionAutoMinor the
	// largest requisition, that policy approves by itself.
	POApprovalMinor      money.Minor `json:"purchase_order_approval_minor" doc:"The largest purchase order that needs no approval."`
	RequisitionAutoMinor money.Minor `json:"requisition_auto_minor" doc:"The largest requisition that is approved by policy."`
}

// Overhead is the costs of the company while it does nothing.
type Overhead struct {
	RentMinorPerDay      money.Minor `json:"rent_minor_per_day" doc:"Overheads are for a working day and billed each Monday."`
	LeaseMinorPerDay     money.Minor `json:"lease_minor_per_day" doc:"The lease of the presses."`
	UtilitiesMinorPerDay money.Minor `json:"utilities_minor_per_day"`
	InsuranceMinorPerDay money.Minor `json:"insurance_minor_per_day"`
	// StorageBasisPointsPerDay of the stock's value are charged, in hundredths
	// of a per cent.
	StorageBasisPointsPerDay int64 `json:"storage_basis_points_per_day" doc:"Charged on the value of the stock, in hundredths of a per cent; 0 to 100."`
}

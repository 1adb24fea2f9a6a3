package catalog

// ReceivedLine is one material of a goods receipt, as a client writes it at the Factory and at Head Office.
type ReceivedLine struct {
	_ struct{} `doc:"One material in the body of a goods receipt."`

	SKU              string `json:"sku" required:"true" minLength:"1" maxLength:"40" doc:"The material that came, such as mat_coated." agent:"-"`
	QuantityAccepted int64  `json:"quantity_accepted" required:"true" minimum:"0" maximum:"200000" doc:"The quantity taken into stock, in the unit of the material." agent:"-"`
	QuantityRejected *int64 `json:"quantity_rejected,omitzero" minimum:"0" maximum:"200000" agent:"-" doc:"The quantity sent back with the driver, in the unit of the material. Left out, the Factory sends back all that is not accepted, and Head Office records 0."`
}

package catalog

import "platen/internal/words/money"

// SupplierKind distinguishes suppliers of goods from those of services.
type SupplierKind string

// Kinds of suppliers.
const (
	Materials SupplierKind = "materials"
	Services  SupplierKind = "services"
)

// Suppliers of services: they bill every week and debit the amount.
const (
	Landlord = "sup_landlord"
	Lessor   = "sup_lessor"
	Bank     = "sup_bank"
	Agency   = "sup_agency"
)

// Suppliers that the opening has ordered from.
const (
	Mill  = "sup_mill"
	Quick = "sup_quick"
)

// Supplier sells material or bills for a service.
type Supplier struct {
	ID   string
	Name string
	Kind SupplierKind
	// Sells are the materials and the least that is sold of each.
	Sells []Offer
	// PricePPM is the factor on the base cost of its goods.
	PricePPM int64
	// LeadMin and LeadMax are the fewest and the most working days between
	// the approval of an order and the truck.
	LeadMin, LeadMax int64
	// Terms, and the days of the early discount, are calendar days.
	Terms           int
	DiscountPercent int64
	DiscountDays    int
	// ShortPPM is the probability that a truck brings less than was ordered,
	// DamagedPPM that part of the load is unfit, BillingErrorPPM that the
	// bill has a wrong price, TwoTrucksPPM that an order comes on two trucks,
	// BilledTwicePPM that a bill comes a second time.
	ShortPPM, DamagedPPM, BillingErrorPPM, TwoTrucksPPM, BilledTwicePPM int64
	CreditLimitMinor                                                    money.Minor
}

// Offer is one material of a supplier.
type Offer struct {
	SKU             string
	MinimumQuantity int64
}

// Suppliers returns the suppliers in the order of teaching.
func Suppliers() []Supplier { return suppliers }

// SupplierByID returns a supplier.
func SupplierByID(id string) (Supplier, bool) {
	for i := range suppliers {
		if suppliers[i].ID == id {
			return suppliers[i], true
		}
	}
	return Supplier{}, false
}

// ItemBySKU returns a stock item.
func ItemBySKU(sku string) (Item, bool) {
	for i := range items {
		if items[i].SKU == sku {
			return items[i], true
		}
	}
	return Item{}, false
}

var suppliers = []Supplier{ //nolint:gochecknoglobals // the table itself
	{
		ID: Mill, Name: "Papyra Mill", Kind: Materials, Sells: []Offer{{Coated, 4000}, {Uncoated, 4000}, {Board, 4000}},
		PricePPM: 1_000_000, LeadMin: 4, LeadMax: 8, Terms: 21, DiscountPercent: 2, DiscountDays: 7,
		ShortPPM: 40_000, BillingErrorPPM: 60_000, TwoTrucksPPM: 100_000, BilledTwicePPM: 40_000,
		CreditLimitMinor: 10_000_000,
	},
	{
		ID: Quick, Name: "QuickStock", Kind: Materials, Sells: []Offer{{Coated, 500}, {Uncoated, 500}, {Board, 500}},
		PricePPM: 1_240_000, LeadMin: 1, LeadMax: 2, Terms: 7, ShortPPM: 10_000, BillingErrorPPM: 20_000,
		TwoTrucksPPM: 20_000, BilledTwicePPM: 20_000, CreditLimitMinor: 2_000_000,
	},
	{
		ID: "sup_chroma", Name: "Chroma Inks & Plates", Kind: Materials, Sells: []Offer{{Ink, 5}, {Plate, 5}},
		PricePPM: 1_000_000, LeadMin: 2, LeadMax: 3, Terms: 14, DiscountPercent: 1, DiscountDays: 5,
		ShortPPM: 20_000, BillingErrorPPM: 50_000, TwoTrucksPPM: 60_000, BilledTwicePPM: 30_000,
		CreditLimitMinor: 3_000_000,
	},
	{
		ID: "sup_bargain", Name: "Bargain Bulk", Kind: Materials, Sells: []Offer{{Coated, 2000}, {Uncoated, 2000},
			{Board, 2000}, {Ink, 20}}, PricePPM: 860_000, LeadMin: 3, LeadMax: 10, Terms: 10, ShortPPM: 250_000,
		DamagedPPM: 200_000, BillingErrorPPM: 200_000, TwoTrucksPPM: 200_000, BilledTwicePPM: 100_000,
		CreditLimitMinor: 1_200_000,
	},
	{ID: Landlord, Name: "Quayside Estates", Kind: Services, Terms: 4},
	{ID: Lessor, Name: "Graphic Leasing", Kind: Services, Terms: 4},
	{ID: Bank, Name: "Harbour Bank", Kind: Services, Terms: 4},
	{ID: Agency, Name: "Stand-in Staffing", Kind: Services, Terms: 4},
}

// Package catalog is the company's reference data: its products, materials,
// presses and customers. It is the same in every sandbox.
package catalog

import (
	"time"

	"platen/internal/words/money"
)

// Kind says whether a product is made to order or can be kept.
type Kind string

// Kinds of products.
const (
	// Custom goods carry a customer's design; a surplus is scrapped.
	Custom Kind = "custom"
	// Stock goods can be printed ahead; a surplus goes on the shelf.
	Stock Kind = "stock"
)

// Product is something the company prints.
type Product struct {
	SKU  string
	Name string
	// Unit is the content of one unit of quantity, such as 250 cards.
	Unit            string
	Kind            Kind
	PaperSKU        string
	SheetsPerUnit   int64
	UnitsPerInkCan  int64
	PlatesPerRun    int64
	FinishingMinute int64
	ListPriceMinor  money.Minor
	// OrderMin and OrderMax bound the quantity of a customer's order, in units.
	OrderMin, OrderMax int64
	// WeightPPM is the product's share of demand.
	WeightPPM int64
}

// Materials.
const (
	Coated   = "mat_coated"
	Uncoated = "mat_uncoated"
	Board    = "mat_board"
	Ink      = "mat_ink"
	Plate    = "mat_plate"
	Waste    = "mat_waste"
)

// GramsPerSheet is the waste paper from one spoiled sheet.
const GramsPerSheet = 50

// Products returns the products in the order of teaching.
func Products() []Product { return products }

// LotProducts returns the products that framework customers buy in bulk.
func LotProducts() []Product {
	var lots []Product
	for _, p := range products {
		switch p.SKU {
		case "prd_flyer", "prd_brochure", "prd_notebook", "prd_poster":
			lots = append(lots, p)
		}
	}
	return lots
}

// ProductBySKU returns a product.
func ProductBySKU(sku string) (Product, bool) {
	for i := range products {
		if products[i].SKU == sku {
			return products[i], true
		}
	}
	return Product{}, false
}

var products = []Product{ //nolint:gochecknoglobals // the table itself
	{"prd_flyer", "Flyers A5", "100 flyers", Custom, Coated, 7, 100, 4, 45, 980, 60, 800, 260_000},
	{"prd_poster", "Posters A2", "10 posters", Custom, Coated, 10, 60, 4, 30, 2600, 10, 180, 160_000},
	{"prd_brochure", "Brochures A4, 8 pages", "25 brochures", Custom, Coated, 25, 25, 8, 120, 3450, 15, 220, 200_000},
	{"prd_card", "Business cards", "250 cards", Custom, Board, 6, 120, 4, 45, 2200, 5, 120, 160_000},
	{"prd_notebook", "Notebooks", "10 notebooks", Stock, Uncoated, 32, 40, 4, 150, 3800, 10, 120, 120_000},
	{"prd_calendar", "Wall calendars", "10 calendars", Stock, Board, 18, 30, 8, 120, 4700, 10, 150, 100_000},
}

// SeasonPPM is the factor on a product's share of demand in a month.
func SeasonPPM(sku string, month time.Month) int64 {
	if sku != "prd_calendar" {
		return 1_000_000
	}
	switch month {
	case time.September:
		return 800_000
	case time.October:
		return 1_600_000
	case time.November:
		return 2_600_000
	case time.December:
		return 1_800_000
	case time.January:
		return 600_000
	default:
		return 300_000
	}
}

// Technology is the printing technology of a press.
type Technology string

// Technologies.
const (
	Offset  Technology = "offset"
	Digital Technology = "digital"
)

// Press is a machine.
type Press struct {
	ID               string
	Name             string
	Technology       Technology
	MakeReadyMinutes int64
	MakeReadySheets  int64
	SheetsPerHour    int64
	UsesPlates       bool
	ClickMinor       money.Minor
	// SpoilagePPM and SpoilageDeviationPPM describe the share of sheets that
	// come out bad.
	SpoilagePPM, SpoilageDeviationPPM int64
}

// Presses returns the presses in the order of teaching.
func Presses() []Press { return presses }

// PressByID returns a press.
func PressByID(id string) (Press, bool) {
	for i := range presses {
		if presses[i].ID == id {
			return presses[i], true
		}
	}
	return Press{}, false
}

var presses = []Press{ //nolint:gochecknoglobals // the table itself
	{"prs_digital", "Digital press", Digital, 10, 8, 420, false, 5, 15_000, 8_000},
	{"prs_offset", "Offset press", Offset, 60, 120, 1600, true, 0, 26_000, 12_000},
}

// StockClass tells materials, finished goods and waste apart.
type StockClass string

// Stock classes.
const (
	Material StockClass = "material"
	Finished StockClass = "finished"
	Scrap    StockClass = "waste"
)

// Item is something that is kept in the warehouse.
type Item struct {
	SKU             string
	Name            string
	Class           StockClass
	Unit            string
	Opening         int64
	ReorderPoint    int64
	ReorderQuantity int64
	BaseCostMinor   money.Minor
}

// Items returns the stock items in the order of teaching.
func Items() []Item { return items }

var items = []Item{ //nolint:gochecknoglobals // the table itself
	{Coated, "Coated paper, B2", Material, "sheet", 12_000, 11_000, 16_000, 32},
	{Uncoated, "Uncoated paper, B2", Material, "sheet", 6_000, 5_000, 8_000, 24},
	{Board, "Board, B2", Material, "sheet", 4_000, 3_500, 6_000, 58},
	{Ink, "Ink, 1 kg can", Material, "can", 40, 36, 40, 2600},
	{Plate, "Printing plate", Material, "plate", 80, 60, 80, 950},
	{"prd_notebook", "Notebooks", Finished, "10 notebooks", 0, 0, 0, 0},
	{"prd_calendar", "Wall calendars", Finished, "10 calendars", 0, 0, 0, 0},
	{Waste, "Waste paper", Scrap, "gram", 0, 0, 0, 0},
}

// Habit is a customer's way of paying.
type Habit string

// Habits.
const (
	Prompt      Habit = "prompt"
	Usual       Habit = "usual"
	Slow        Habit = "slow"
	Instalments Habit = "instalments"
)

// Customer buys printed goods.
type Customer struct {
	ID    string
	Name  string
	Terms int // calendar days
	Habit Habit
	// LatePPM is the probability of paying late.
	LatePPM    int64
	CreditNote string
	// AcceptsParts is set for a customer who pays for a part when it has come. Others pay once all has.
	AcceptsParts bool
	// CreditMinor is how much a customer may owe at once, where that is limited.
	CreditMinor money.Minor
	// TolerancePct is how much less than ordered, in per cent, a customer takes as the whole.
	TolerancePct int64
}

// Least is the smallest quantity that the customer takes as the whole of so much.
func (c *Customer) Least(quantity int64) int64 {
	return quantity - quantity*c.TolerancePct/100
}

// Customers returns the customers in the order of teaching.
func Customers() []Customer { return customers }

// CustomerByID returns a customer.
func CustomerByID(id string) (Customer, bool) {
	for i := range customers {
		if customers[i].ID == id {
			return customers[i], true
		}
	}
	return Customer{}, false
}

var customers = []Customer{ //nolint:gochecknoglobals // the table itself
	{"cus_brightwell", "Brightwell Events", 5, Usual, 100_000, "Pays within the week.", false, 2_000_000, 0},
	{"cus_halden", "Halden Street Theatre", 7, Usual, 150_000, "Pays after the premiere.", true, 1_800_000, 5},
	{"cus_kestrel", "Kestrel Travel", 7, Slow, 300_000, "Often needs a few days more.", true, 2_400_000, 10},
	{"cus_orchard", "Orchard & Pine Cafés", 10, Instalments, 150_000,
		"Pays in two halves, three working days apart.", true, 3_000_000, 5},
	{"cus_lumen", "Lumen Gyms", 3, Prompt, 0, "Pays on time, always.", true, 1_500_000, 5},
	{"cus_veld", "Veld Municipal Library", 7, Slow, 500_000, "Every second invoice waits for a signature.", false,
		2_400_000, 0},
	{"cus_fennimore", "Fennimore Publishing", 14, Usual, 100_000, "Framework customer with long terms.", true,
		4_500_000, 10},
	{"cus_tern", "Tern Coastal Tours", 5, Instalments, 200_000,
		"Pays in two halves, three working days apart.", true, 1_800_000, 0},
}

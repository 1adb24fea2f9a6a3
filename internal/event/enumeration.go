package event

// DisruptionKind is the kind of a disruption.
type DisruptionKind string

// Kinds of disruptions (contract: OPEN.FIELDS.LORE_EVENT).
const (
	PaperShortage DisruptionKind = "paper_shortage"
	CourierStrike DisruptionKind = "courier_strike"
	FluWave       DisruptionKind = "flu_wave"
	PressFault    DisruptionKind = "press_fault"
	PowerCut      DisruptionKind = "power_cut"
	TradeFair     DisruptionKind = "trade_fair"
	PaymentOutage DisruptionKind = "payment_outage"
	HeatWave      DisruptionKind = "heat_wave"
)

// Enum implements jsonfield.Enumeration.
func (DisruptionKind) Enum() []string {
	return []string{
		string(PaperShortage), string(CourierStrike), string(FluWave), string(PressFault),
		string(PowerCut), string(TradeFair), string(PaymentOutage), string(HeatWave),
	}
}

// Role is what an employee does.
type Role string

// Roles.
const (
	// Operator runs a press.
	Operator Role = "operator"
	// Finisher dries, cuts and binds; without one it takes twice the time.
	Finisher   Role = "finisher"
	Warehouse  Role = "warehouse"
	Bookkeeper Role = "bookkeeper"
	Sales      Role = "sales"
)

// Enum implements jsonfield.Enumeration.
func (Role) Enum() []string {
	return []string{string(Operator), string(Finisher), string(Warehouse), string(Bookkeeper), string(Sales)}
}

// ErrorClass says why a delivery failed. It is empty for one that did not.
type ErrorClass string

// Classes of errors (contract: OPEN.DLV.ERROR_CLASS).
const (
	ClassTimeout        ErrorClass = "timeout"
	ClassDNS            ErrorClass = "dns"
	ClassConnect        ErrorClass = "connect"
	ClassTLS            ErrorClass = "tls"
	ClassRefusedAddress ErrorClass = "refused_address"
	ClassHTTP3xx        ErrorClass = "http_3xx"
	ClassHTTP4xx        ErrorClass = "http_4xx"
	ClassHTTP5xx        ErrorClass = "http_5xx"
)

// Enum implements jsonfield.Enumeration.
func (ErrorClass) Enum() []string {
	return []string{
		string(ClassTimeout), string(ClassDNS), string(ClassConnect), string(ClassTLS),
		string(ClassRefusedAddress), string(ClassHTTP3xx), string(ClassHTTP4xx), string(ClassHTTP5xx),
	}
}

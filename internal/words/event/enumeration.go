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

// Meanings implements jsonfield.Explained.
func (DisruptionKind) Meanings() string {
	return "paper_shortage: paper is expensive and slow to come; courier_strike: orders to suppliers come two " +
		"working days later; flu_wave: more people fall ill; press_fault: a press is down; power_cut: no press runs " +
		"until 12:00; trade_fair: more orders for posters and brochures come; payment_outage: payments of customers " +
		"come when it is over; heat_wave: runs are slower and spoil more."
}

// Role is the work of an employee.
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

// Meanings implements jsonfield.Explained.
func (Role) Meanings() string {
	return "operator runs a press; finisher dries, cuts and binds; warehouse counts trucks in and sends goods out; " +
		"bookkeeper records bills; sales brings orders."
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

// Meanings implements jsonfield.Explained.
func (ErrorClass) Meanings() string {
	return "timeout: no response within 5 seconds; dns: the host has no public address; connect: no connection, or " +
		"one that ended or broke off before an HTTP response; tls: no secure one; refused_address: the server does " +
		"not allow the URL any more; http_3xx, http_4xx, http_5xx: the response had this status."
}

package sim

// The protocol of a day: timers due at the same minute fire in this order, so
// that every replay agrees. The classes up to ClassDemand are due when the day
// opens, those of the day at their own minutes, the last when it closes.
const (
	ClassDisruptionEnds Class = iota + 1
	ClassDisruptionStarts
	ClassStaff
	ClassPayroll
	ClassLapse
	ClassMissed
	ClassRequisition
	ClassCustomerOverdue
	ClassSupplierOverdue
	ClassOverhead
	ClassLot
	ClassMajorOrder
	ClassDemand
	ClassDay
	ClassDirectDebit
	ClassTimesheet
	ClassBankruptcy
	ClassSeries
)

// Minutes of the day at which parts of it happen.
const (
	// MarketMinute is 09:00, when goods bought on the market arrive.
	MarketMinute Minute = 60
	// TruckMinute is 09:30, when suppliers' trucks arrive.
	TruckMinute Minute = 90
	// PaymentMinute is 10:00, when customers' payments and suppliers' bills
	// arrive.
	PaymentMinute Minute = 120
	// TimesheetMinute is 12:00, from when on a Friday the hours of the week can
	// be recorded.
	TimesheetMinute Minute = 240
	// CloseMinute is the last minute of a day, since 16:00 and 08:00 of the
	// next day are the same working minute.
	CloseMinute Minute = DayLength - 1
)

package attention

import (
	"fmt"

	"platen/internal/words/event"
)

// Turning are the events that tell how a company came to its end: what led a bankrupt company
// there, and in a company whose time is over what it achieved, too.
func Turning(bankrupt bool) event.Set {
	of := event.SetOf(
		event.SalesOrderExpired, event.ContractLotExpired, event.PaymentOverdue, event.PayrollLate, event.EmployeeQuit,
		event.SandboxBankrupt,
	)
	if bankrupt {
		return of
	}
	return of.Union(event.SetOf(event.SalesOrderAccepted, event.ShipmentCreated, event.CustomerInvoicePaid))
}

// Turn says what the first event of a type means for a company that has ended, and how many
// there were in all.
func Turn(t event.Type, all int64) string {
	one := map[event.Type]string{
		event.SalesOrderAccepted:  "The first order is accepted.",
		event.ShipmentCreated:     "The first goods leave the Factory.",
		event.CustomerInvoicePaid: "A customer pays for the first time.",
		event.SalesOrderExpired:   "A sales order expires without a response, or without its goods.",
		event.ContractLotExpired:  "A contract lot expires.",
		event.PaymentOverdue:      "A supplier's bill is overdue.",
		event.PayrollLate:         "Wages are late.",
		event.EmployeeQuit:        "An employee quits.",
		event.SandboxBankrupt:     "The company is bankrupt.",
	}[t]
	if all > 1 {
		one += fmt.Sprintf(" In all it happened %d times.", all)
	}
	return one
}

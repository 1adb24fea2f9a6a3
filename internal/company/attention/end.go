package attention

import (
	"fmt"

	"platen/internal/event"
)

// Turning are the events that tell how a company came to its end.
func Turning() event.Set {
	return event.SetOf(
		event.SalesOrderExpired, event.ContractLotExpired, event.PaymentOverdue, event.PayrollLate, event.EmployeeQuit,
		event.SandboxBankrupt,
	)
}

// Turn says what the first event of a type means for a company that has ended, and how many
// there were in all.
func Turn(t event.Type, all int64) string {
	one := map[event.Type]string{
		event.SalesOrderExpired:  "A sales order expires without an answer, or without its goods.",
		event.ContractLotExpired: "A contract lot expires.",
		event.PaymentOverdue:     "A supplier's bill is overdue.",
		event.PayrollLate:        "Wages are late.",
		event.EmployeeQuit:       "An employee quits.",
		event.SandboxBankrupt:    "The company is bankrupt.",
	}[t]
	if all > 1 {
		one += fmt.Sprintf(" It is the first time of %d.", all)
	}
	return one
}

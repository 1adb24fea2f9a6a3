package operation

import (
	"slices"

	"platen/internal/company"
	"platen/internal/company/office"
	"platen/internal/words/event"
	"platen/internal/words/problem"
)

func lotOperations() []Operation {
	return slices.Concat(
		reads[office.ContractLot](noun{
			system: Office, path: "/office/contract-lots", resource: "contract_lot", singular: "contract_lot",
			plural: "contract_lots", summary: "contract lots",
			listDescription: "Bulk orders of a framework customer: a low price, a long run, and a penalty for not " +
				"delivering in time.",
			one: "a contract lot",
		}),
		[]Operation{acceptLot(), declineLot()},
	)
}

func acceptLot() Operation {
	return move[office.ContractLot](Operation{
		ID: "accept_contract_lot", Path: "/office/contract-lots/{id}/accept", System: Office,
		Summary: "Accept a contract lot",
		Description: "With the auto bridge the Factory gets its work order at once. " +
			"A lot that is not shipped by deliver_by costs its penalty.",
		Problems: []problem.Code{problem.NotFound, problem.InvalidState, problem.TooManyOpen},
		Events:   []event.Type{event.ContractLotAccepted, event.WorkOrderCreated, event.WorkOrderReady},
	}, (*company.Company).AcceptLot)
}

func declineLot() Operation {
	return move[office.ContractLot](Operation{
		ID: "decline_contract_lot", Path: "/office/contract-lots/{id}/decline", System: Office,
		Summary:  "Decline a contract lot",
		Problems: []problem.Code{problem.NotFound, problem.InvalidState},
		Events:   []event.Type{event.ContractLotDeclined},
	}, (*company.Company).DeclineLot)
}

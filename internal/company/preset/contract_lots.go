package preset

import "errors"

// Lots is the bulk orders of framework customers.
type Lots struct {
	EveryDays   int64    `json:"every_days" doc:"Average working days between two offers. 0 disables them."`
	FirstDays   [2]int64 `json:"first_days" doc:"The days among which the first offer comes for certain."`
	Sheets      [2]int64 `json:"sheets" doc:"The smallest and the largest lot, in sheets; at most 35,000."`
	PricePct    [2]int64 `json:"price_pct" doc:"The lowest and the highest price, in per cent of the list price."`
	AnswerDays  int64    `json:"answer_days" doc:"Working days that an offer waits for an answer."`
	DeliverDays [2]int64 `json:"deliver_days" doc:"The fewest and the most working days until delivery."`
	PenaltyPct  int64    `json:"penalty_pct" doc:"The cost of a missed lot, in per cent of its total."`
}

func (l Lots) check() error {
	if l.EveryDays == 0 {
		return nil
	}
	grows := func(pair [2]int64, most int64) bool {
		return pair[0] >= 1 && pair[0] <= pair[1] && pair[1] <= most
	}
	switch {
	case l.EveryDays < 0 || l.EveryDays > maxDays || !grows(l.FirstDays, maxDays):
		return errors.New("contract_lots.every_days must be 0 to 250, first_days two growing numbers from 1 to 250")
	case !grows(l.Sheets, maxSheets) || !grows(l.PricePct, wholePct):
		return errors.New("contract_lots.sheets must be two growing numbers to 35,000, price_pct two to 100")
	case l.AnswerDays < 1 || l.AnswerDays > maxDays || !grows(l.DeliverDays, maxDays) ||
		!within(l.PenaltyPct, wholePct):
		return errors.New("contract_lots.answer_days and deliver_days must be 1 to 250, penalty_pct 0 to 100")
	}
	return nil
}

package preset

import "errors"

// paperPerDay is how many sheets of each paper the market sells on a day: less than two
// days of printing.
const paperPerDay = 5_000

// Market is the exchange.
type Market struct {
	// PaperPerDay is nil in presets that were written before there was a choice.
	PaperPerDay *int64 `json:"paper_per_day,omitzero" doc:"How many sheets of each paper the market sells on a day, 0 to 20000; 5000 when left out."`
}

// PaperOffered is how many sheets of each paper the market sells on a day.
func (m Market) PaperOffered() int64 {
	if m.PaperPerDay == nil {
		return paperPerDay
	}
	return *m.PaperPerDay
}

func (m Market) check() error {
	const most = 20_000 // as many as one trade can name
	if m.PaperPerDay != nil && (*m.PaperPerDay < 0 || *m.PaperPerDay > most) {
		return errors.New("market.paper_per_day must be 0 to 20000")
	}
	return nil
}

package preset

import "errors"

// Disruptions is the frequency of the world's disruptions.
type Disruptions struct {
	EveryDays  int64    `json:"every_days" doc:"Average working days between two disruptions. 0 disables them."`
	FirstDays  [2]int64 `json:"first_days" doc:"The days among which the first disruption comes for certain; none comes before them."`
	MostAtOnce int64    `json:"most_at_once" doc:"How many run at the same time at most; 1 to 8."`
}

// Stories is the frequency of events that change nothing.
type Stories struct {
	EveryDays int64    `json:"every_days" doc:"Average working days between two stories. 0 disables them."`
	FirstDays [2]int64 `json:"first_days" doc:"The days among which the first story comes for certain; none comes before them."`
}

// MajorOrders is when goals are set for all printers of the world.
type MajorOrders struct {
	EveryDays int64 `json:"every_days" doc:"Working days from one opening to the next, at least 21; 0 for no major orders."`
	FirstDay  int64 `json:"first_day" doc:"The day on which the first one opens."`
}

const (
	// disruptionKinds is how many kinds there are: of each, one runs at most.
	disruptionKinds = 8
	// majorOrdersLeast keeps a major order, which runs for twenty days, from
	// meeting the next one.
	majorOrdersLeast = 21
)

func (d Disruptions) check() error {
	switch {
	case d.EveryDays == 0:
		return nil
	case d.EveryDays < 0 || d.EveryDays > maxDays || !growingDays(d.FirstDays):
		return errors.New("disruptions.every_days must be 0 to 250, first_days two growing numbers from 1 to 250")
	case d.MostAtOnce < 1 || d.MostAtOnce > disruptionKinds:
		return errors.New("disruptions.most_at_once must be 1 to 8")
	}
	return nil
}

func (s Stories) check() error {
	if s.EveryDays == 0 || s.EveryDays > 0 && s.EveryDays <= maxDays && growingDays(s.FirstDays) {
		return nil
	}
	return errors.New("stories.every_days must be 0 to 250, first_days two growing numbers from 1 to 250")
}

func (m MajorOrders) check() error {
	if m.EveryDays == 0 ||
		m.EveryDays >= majorOrdersLeast && m.EveryDays <= maxDays && m.FirstDay >= 1 && m.FirstDay <= maxDays {
		return nil
	}
	return errors.New("major_orders.every_days must be 0 or 21 to 250, first_day 1 to 250")
}

func growingDays(days [2]int64) bool {
	return days[0] >= 1 && days[0] <= days[1] && days[1] <= maxDays
}

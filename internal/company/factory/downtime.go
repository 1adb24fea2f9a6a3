package factory

import (
	"fmt"

	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

// Effects of a heatwave on presses.
const (
	// heatSpeedPPM is the factor on the sheets that a press prints in an hour,
	// heatSpoilagePPM the addition to the share of sheets that come out bad.
	heatSpeedPPM    = 700_000
	heatSpoilagePPM = 10_000
)

// StopPress puts a press out of order until a moment. A run on it waits and
// goes on afterwards: its end moves by as much, and its operator stays with it.
// A press that is out of order already stays so until the later moment. The
// caller emits the event that takes the change of status along.
func (f *Factory) StopPress(r *record.Recorder, id string, until sim.Minute) {
	press, private := f.Presses.Edit(r, id)
	from := max(r.Now(), private.DownUntil)
	if until <= from {
		return
	}
	private.DownUntil = until
	press.DownUntilSim = new(until.Text())
	if press.CurrentPrintRunID != nil {
		press.CurrentRunEndsSim = new(f.delay(r, *press.CurrentPrintRunID, until-from))
	}
	if press.Status != PressDown {
		record.Move(r, press, &press.Status, PressDown)
	}
}

// delay moves the end of a run, and returns it. Its timer finds out by itself.
func (f *Factory) delay(r *record.Recorder, runID string, by sim.Minute) (endsSim string) {
	run, private := f.PrintRuns.Edit(r, runID)
	private.Ends += by
	run.EndsSim, run.EndsAt = private.Ends.Text(), estimate(r, private.Ends)
	return run.EndsSim
}

// EstimateEnds puts the wall time of their end anew into the runs that are under
// way, after the clock was set.
func (f *Factory) EstimateEnds(r *record.Recorder) {
	for press := range f.Presses.All {
		if press.CurrentPrintRunID != nil {
			run, private := f.PrintRuns.Edit(r, *press.CurrentPrintRunID)
			run.EndsAt = estimate(r, private.Ends)
		}
	}
}

// estimate is the wall time at which the clock will show a moment if nobody moves
// it, nil under a clock that moves by ticks alone.
func estimate(r *record.Recorder, m sim.Minute) *moment.Instant {
	if at, ok := r.Clock().Wall(m); ok {
		return &at
	}
	return nil
}

// RestartPresses lets the presses run again whose time out of order is over.
// The caller emits the event that takes the changes of status along.
func (f *Factory) RestartPresses(r *record.Recorder) {
	for _, known := range catalog.Presses() {
		press, _ := f.Presses.Find(known.ID)
		if press.Status != PressDown || record.Private(f.Presses, known.ID).DownUntil > r.Now() {
			continue
		}
		press, private := f.Presses.Edit(r, known.ID)
		private.DownUntil, press.DownUntilSim = 0, nil
		if press.CurrentPrintRunID != nil {
			record.Move(r, press, &press.Status, PressRunning)
		} else {
			record.Move(r, press, &press.Status, PressIdle)
		}
	}
}

// SetHeat tells the Factory whether it is too hot to print at full speed. Runs
// that are under way keep the speed that they were started at.
func (f *Factory) SetHeat(r *record.Recorder, hot bool) {
	f.State.Heat = hot
	for _, known := range catalog.Presses() {
		press, _ := f.Presses.Edit(r, known.ID)
		press.SheetsPerHour = f.sheetsPerHour(known)
	}
}

// sheetsPerHour is how fast a press prints at present.
func (f *Factory) sheetsPerHour(p catalog.Press) int64 {
	if f.State.Heat {
		return shareDown(p.SheetsPerHour, heatSpeedPPM)
	}
	return p.SheetsPerHour
}

// inOrder refuses a press that is out of order, and says when it will take the
// run: after the one that waits on it, if there is one (contract:
// OPEN.ERR.PRESS_DOWN).
func (f *Factory) inOrder(r *record.Recorder, press *Press) error {
	if press.Status != PressDown {
		return nil
	}
	free := record.Private(f.Presses, press.ID).DownUntil
	if press.CurrentPrintRunID != nil {
		free = record.Private(f.PrintRuns, *press.CurrentPrintRunID).Ends
	}
	return r.Retrying(problem.New(problem.PressDown, "The press %s is down until %s.",
		press.ID, *press.DownUntilSim), free)
}

func (f *Factory) checkDowntime() error {
	for press, private := range f.Presses.All {
		known, _ := catalog.PressByID(press.ID)
		down := press.Status == PressDown
		switch {
		case down != (press.DownUntilSim != nil) || down != (private.DownUntil > 0):
			return fmt.Errorf("press %s is %s until %d", press.ID, press.Status, private.DownUntil)
		case press.SheetsPerHour != f.sheetsPerHour(known):
			return fmt.Errorf("press %s prints %d sheets an hour, at present it should be %d",
				press.ID, press.SheetsPerHour, f.sheetsPerHour(known))
		case down && press.CurrentPrintRunID != nil &&
			record.Private(f.PrintRuns, *press.CurrentPrintRunID).Ends < private.DownUntil:
			return fmt.Errorf("press %s is down beyond the end of its run", press.ID)
		}
	}
	return nil
}

package task

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"platen/client"
)

// Signals says when a paper has to be ordered: Lag working days after each day on which the market asks less for it
// than on each of the Window working days before, within the first Days days.
type Signals struct {
	SKU    string `json:"sku"`
	Window int    `json:"window"`
	Lag    int    `json:"lag"`
	Days   int    `json:"days"`
}

// signalled are the dates of these orders, as an array. The sandbox is played on without a player, in a fork: no list
// has the prices of days that are over.
func (w *world) signalled(ctx context.Context, s *Signals) (dates string, err error) {
	ahead, err := w.grader.ForkSandbox(ctx, client.ForkSandboxInput{})
	if err != nil {
		return "", fmt.Errorf("look at the prices of the days to come: %w", err)
	}
	defer func() { err = errors.Join(err, remove(ctx, ahead)) }()
	future := newWorld(ahead, w.base)
	asks, days := make([]int64, s.Days), make([]string, s.Days)
	for i := range asks {
		future.forget()
		quotes, err := future.pick(ctx, "/office/market?sku="+s.SKU)
		if err != nil {
			return "", err
		}
		if len(quotes) != 1 {
			return "", fmt.Errorf("the market has %d quotes of %s", len(quotes), s.SKU)
		}
		days[i], asks[i] = textOf(quotes[0], "valid_on"), math.MaxInt64 // dearer than any, where it has none
		if ask := textOf(quotes[0], "ask_minor"); ask != "" {
			if asks[i], err = strconv.ParseInt(ask, 10, 64); err != nil {
				return "", fmt.Errorf("read the price of %s: %w", s.SKU, err)
			}
		}
		if _, err := future.grader.AdvanceTime(ctx, client.TickInput{Minutes: new(int64(dayMinutes))}); err != nil {
			return "", fmt.Errorf("play on: %w", err)
		}
	}
	ordered := []string{}
	for i := s.Window; i+s.Lag < s.Days; i++ {
		if lower(asks[i], asks[i-s.Window:i]) {
			ordered = append(ordered, days[i+s.Lag])
		}
	}
	return array(ordered)
}

// lower reports whether a price is less than all of others.
func lower(price int64, others []int64) bool {
	for _, other := range others {
		if price >= other {
			return false
		}
	}
	return true
}

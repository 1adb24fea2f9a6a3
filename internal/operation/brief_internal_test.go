package operation

import (
	"testing"

	"platen/internal/words/moment"
)

// TestTheDayIsThatOnWhichEnoughHasCome, whatever order the trucks were ordered in.
func TestTheDayIsThatOnWhichEnoughHasCome(t *testing.T) {
	t.Parallel()
	trucks := func() []truckload { return []truckload{{30, 12}, {10, unpromised}, {20, 5}} }
	for lacking, want := range map[int64]moment.Date{-5: 5, 0: 5, 20: 5, 21: 12, 50: 12, 51: 12, 900: 12} {
		if ordered, on := covering(trucks(), lacking); ordered != 60 || on != want {
			t.Errorf("of %d on order, %d have come on day %d, want 60 and %d", ordered, lacking, on, want)
		}
	}
	if ordered, on := covering([]truckload{{10, unpromised}}, 5); ordered != 10 || on != unpromised {
		t.Errorf("before its approval an order brings %d on day %d", ordered, on)
	}
	if ordered, on := covering(nil, 5); ordered != 0 || on != unpromised {
		t.Errorf("no order brings %d on day %d", ordered, on)
	}
}

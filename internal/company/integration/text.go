package integration

import (
	"cmp"
	"fmt"
	"strings"

	"platen/internal/company/sim"
)

// names lists the effects.
func (o *obligation) names() string {
	names := make([]string, len(o.effects))
	for i := range o.effects {
		names[i] = o.effects[i].Name()
	}
	return strings.Join(names, ", ")
}

// end says how a bill ends.
func (o *obligation) end() string {
	if o.wants == closing {
		return "closed as a duplicate"
	}
	return "paid"
}

func (o *obligation) sayExact() string {
	if o.kind == Payment {
		return fmt.Sprintf("%s was %s on %s; it was due on %s.", o.Name(), o.end(), o.effects[0].on.Date(),
			o.since.Date())
	}
	return fmt.Sprintf("%s has its %s: %s.", o.Name(), o.wants, o.names())
}

func (o *obligation) sayLate() string {
	if o.kind == Payment {
		return o.sayExact()
	}
	return fmt.Sprintf("%s got its %s, %s, on %s. The deadline was %s.", o.Name(), o.wants, o.names(),
		(*cmp.Or(o.met, &o.effects[0].on)).Date(), (o.since + o.inTime).Date())
}

func (o *obligation) sayMissed() string {
	if o.kind == Payment {
		return fmt.Sprintf("%s was not %s by a client; it was due on %s.", o.Name(), o.end(), o.since.Date())
	}
	return fmt.Sprintf("%s has no %s. The deadline was %s.", o.Name(), o.wants, (o.since + o.inTime).Date())
}

// sayMissedToo says that what would have followed from the effect is missed with it.
func (o *obligation) sayMissedToo(kind Kind) string {
	lost := map[Kind]string{
		Parcel: "nothing could be shipped or billed", Receipt: "there was no delivery to record",
		Payment: "there was no bill to pay",
	}
	return fmt.Sprintf("%s never got its %s, so %s.", o.Name(), o.wants, lost[kind])
}

func (o *obligation) sayDoubled() string {
	if o.kind == Payment {
		return fmt.Sprintf("The same goods were paid for twice: %s.", o.names())
	}
	return fmt.Sprintf("%s has its %s more than once: %s.", o.Name(), o.wants, o.names())
}

func (o *obligation) sayWrong() string {
	if o.kind == Payment {
		return fmt.Sprintf("The payment of %s is wrong: %s.", o.Name(), o.differs)
	}
	return fmt.Sprintf("%s, the %s of %s, is wrong: %s.", o.names(), o.wants, o.Name(), o.differs)
}

// compared says which of two values differ, as in "quantity is 10, not 100".
func compared(name string, got, want any) string {
	if got == want {
		return ""
	}
	return fmt.Sprintf("%s is %v, not %v", name, got, want)
}

// firstOf returns the first text that says something.
func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// over reports whether what ended on a day ended before it could be missed: then it obliged
// to nothing.
func (o *obligation) over(ended sim.Day) bool {
	return len(o.effects) == 0 && ended <= o.since+o.missed
}

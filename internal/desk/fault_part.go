package desk

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"platen/internal/company/record"
	"platen/internal/desk/injection"
)

// This file stores what faults have to remember. Each part is a row of a table, so that a commit stores the parts that
// have changed and not all of them; what lasts is small, and part of the state.

// faultPart is a row without a public part. Its private part is injection.Calls, an injection.Injection or an
// injection.Late.
type faultPart struct {
	record.Head
	record.Stamps
}

func (*faultPart) Resource() string { return "fault_part" }
func (*faultPart) State() string    { return "" }

// storedFault is the private part of a row: one of the three, or none in a slot that is free.
type storedFault struct {
	Calls     injection.Calls      `json:"calls,omitzero"`
	Injection *injection.Injection `json:"injection,omitempty"`
	Late      *injection.Late      `json:"late,omitempty"`
}

const (
	callsPart     = "calls_"
	injectionPart = "injection_"
	latePart      = "late_"
)

func newFaultParts() *record.Table[faultPart, storedFault] {
	return record.NewTable[faultPart, storedFault](
		record.Definition{Resource: (*faultPart)(nil).Resource(), Removes: true}, nil)
}

// restoreFaults takes up what was stored.
func (d *Desk) restoreFaults(spells injection.Spells) {
	memory := injection.Memory{Spells: spells}
	for row, stored := range d.faultParts.All {
		if number, ok := strings.CutPrefix(row.ID, callsPart); ok {
			i, _ := strconv.Atoi(number)
			memory.Calls[i] = stored.Calls.Clone()
		}
		if slot, ok := strings.CutPrefix(row.ID, injectionPart); ok && stored.Injection != nil {
			pending := *stored.Injection
			pending.Slot, _ = strconv.Atoi(slot)
			memory.Injected = append(memory.Injected, pending)
		}
		if place, ok := strings.CutPrefix(row.ID, latePart); ok && stored.Late != nil {
			late := *stored.Late
			late.Place, _ = strconv.Atoi(place)
			memory.Late = append(memory.Late, late)
		}
	}
	slices.SortFunc(memory.Late, func(a, b injection.Late) int { return cmp.Compare(a.Sent, b.Sent) })
	slices.SortFunc(memory.Injected, func(a, b injection.Injection) int { return cmp.Compare(a.Asked, b.Asked) })
	pending := len(memory.Injected) + len(memory.Late) + len(d.client.intents.Known)
	if plan := d.company.Settings().Faults; plan != nil || pending > 0 {
		f := d.client.newFaults(plan, memory)
		f.spells = spells
		d.client.faults.Store(f)
	}
}

// markFaults marks all of the memory of faults as to be stored. Spells are those that are stored.
func (d *Desk) markFaults(spells injection.Spells) {
	f := d.client.faults.Load()
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.spells = spells
	f.memory.MarkAll()
	for row := range d.faultParts.All {
		if slot, ok := strings.CutPrefix(row.ID, injectionPart); ok {
			n, _ := strconv.Atoi(slot)
			f.memory.MarkSlot(n)
		}
		if place, ok := strings.CutPrefix(row.ID, latePart); ok {
			n, _ := strconv.Atoi(place)
			f.memory.MarkLate(n)
		}
	}
}

// storeFaults puts the parts of the memory of faults that have changed into their rows.
func (d *Desk) storeFaults(f *Faults) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.spells = f.memory.Spells
	buckets, slots := f.memory.Taken()
	for _, i := range buckets {
		d.faultPart(callsPart, i).Calls = f.memory.Calls[i].Clone()
	}
	for _, slot := range slots {
		d.faultPart(injectionPart, slot).Injection = f.memory.InSlot(slot)
	}
	for _, place := range f.memory.TakenLate() {
		d.faultPart(latePart, place).Late = f.memory.InPlace(place)
	}
}

// faultPart returns a part to change.
func (d *Desk) faultPart(of string, number int) *storedFault {
	id := of + strconv.Itoa(number)
	if _, known := d.faultParts.Find(id); known {
		return record.EditPrivate(d.faultParts, d.rec, id)
	}
	_, private := d.faultParts.Add(d.rec, faultPart{Head: record.Head{ID: id}}, storedFault{})
	return private
}

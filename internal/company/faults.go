package company

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"platen/internal/company/fault"
	"platen/internal/company/record"
)

// This file stores what faults have to remember. Each part is a row of a table beside the company, so that a commit
// stores the parts that have changed and not all of them; what lasts is small, and part of the state.

// faultPart is a row without a public part. Its private part is a fault.Injection, or fault.Calls.
type faultPart struct {
	record.Head
	record.Stamps
}

func (*faultPart) Resource() string { return "fault_part" }
func (*faultPart) State() string    { return "" }

// storedFault is the private part of a row: one of both, or none in a slot that is free.
type storedFault struct {
	Calls     fault.Calls      `json:"calls,omitzero"`
	Injection *fault.Injection `json:"injection,omitempty"`
}

const (
	callsPart     = "calls_"
	injectionPart = "injection_"
)

func newFaultParts() *record.Table[faultPart, storedFault] {
	return record.NewTable[faultPart, storedFault](
		record.Definition{Resource: (*faultPart)(nil).Resource(), Beside: true}, nil)
}

// restoreFaults takes up what was stored.
func (c *Company) restoreFaults(spells fault.Spells) {
	c.faults = fault.Memory{Spells: spells}
	for i := range c.faults.Calls {
		if id := callsPart + strconv.Itoa(i); c.hasFaultPart(id) {
			c.faults.Calls[i] = record.Private(c.faultParts, id).Calls
		}
	}
	for row, stored := range c.faultParts.All {
		if slot, ok := strings.CutPrefix(row.ID, injectionPart); ok && stored.Injection != nil {
			injection := *stored.Injection
			injection.Slot, _ = strconv.Atoi(slot)
			c.faults.Injected = append(c.faults.Injected, injection)
		}
	}
	slices.SortFunc(c.faults.Injected, func(a, b fault.Injection) int { return cmp.Compare(a.Asked, b.Asked) })
}

func (c *Company) hasFaultPart(id string) bool {
	_, ok := c.faultParts.Find(id)
	return ok
}

// FaultMemory returns what faults have to remember, as it was stored with the company.
func (c *Company) FaultMemory() fault.Memory { return c.faults }

// CarryFaults sets what faults have to remember, to be stored with the next commit, and reports whether it is
// something else than before.
func (c *Company) CarryFaults(memory fault.Memory) (changed bool) {
	changed = memory.Spells != c.faults.Spells
	for i, calls := range memory.Calls {
		if !calls.Equal(c.faults.Calls[i]) {
			changed = true
			c.faultPart(callsPart, i).Calls = calls
		}
	}
	for _, old := range c.faults.Injected {
		if inSlot(memory.Injected, old.Slot) == nil {
			changed = true
			c.faultPart(injectionPart, old.Slot).Injection = nil
		}
	}
	for _, injection := range memory.Injected {
		if old := inSlot(c.faults.Injected, injection.Slot); old == nil || !old.Equal(&injection) {
			changed = true
			c.faultPart(injectionPart, injection.Slot).Injection = &injection
		}
	}
	c.faults = memory
	return changed
}

// inSlot returns the injection in a slot, nil for none.
func inSlot(injected []fault.Injection, slot int) *fault.Injection {
	at := slices.IndexFunc(injected, func(i fault.Injection) bool { return i.Slot == slot })
	if at < 0 {
		return nil
	}
	return &injected[at]
}

// faultPart returns a part to change.
func (c *Company) faultPart(of string, number int) *storedFault {
	id := of + strconv.Itoa(number)
	if !c.hasFaultPart(id) {
		_, private := c.faultParts.Add(c.rec, faultPart{Head: record.Head{ID: id}}, storedFault{})
		return private
	}
	return record.EditPrivate(c.faultParts, c.rec, id)
}

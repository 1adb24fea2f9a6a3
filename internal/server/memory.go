package server

import (
	"fmt"
	"math"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"platen/internal/config"
)

const (
	// memoryPercent is the part of the memory that there is which a server stays
	// within, unless a setting says otherwise: the rest is for the buffers of
	// connections and files, and for the pages of the database.
	memoryPercent = 60
	// companyPercent is the part of that for companies in memory: the garbage collector lets the heap grow
	// to twice of what is alive, and loads and evictions are under way beside.
	companyPercent = 40
	// connectionPart is the part of it for connections, as a divisor, and connectionBytes how much one takes up
	// at most: a head of maxHeader as it arrives, the buffers of net/http, and a small response.
	connectionPart  = 4
	connectionBytes = 64 << 10
	// sharePart is the part of it for responses that are larger, as a divisor.
	sharePart = 8
	// outsideHeap is the part of it, in bytes, that Go does not count: what SQLite keeps in memory. heapSlack is the
	// part, as a divisor, by which the heap grows beyond its limit while the collector runs.
	outsideHeap = 8 << 20
	heapSlack   = 16
	// memoryUnknown is the memory of a machine that does not say how much it has.
	memoryUnknown = 1 << 30
)

// MemoryLimit is the number of bytes that a server of these settings stays
// within: that of the setting, or a part of what its container or its machine
// has.
func MemoryLimit(c *config.Config) (int64, error) {
	set, err := c.MemoryBytes()
	if err != nil {
		return 0, fmt.Errorf("memory: %w", err)
	}
	if set > 0 {
		return int64(min(set, math.MaxInt64)), nil
	}
	there, err := memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.FromSystem)()
	if err != nil || there == 0 {
		there = memoryUnknown
	}
	return max(int64(min(there, math.MaxInt64)/100*memoryPercent), config.MemoryLeast), nil
}

// HeapLimit is the limit for Go's own memory of a server that stays within a number of bytes.
func HeapLimit(memory int64) int64 { return memory - memory/heapSlack - outsideHeap }

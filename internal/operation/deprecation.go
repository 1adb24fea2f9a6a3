package operation

import (
	"fmt"
	"time"
)

// NoticeLeast is how long before its end an operation is announced to go
// (contract: OPEN.VER.DEPRECATION).
const NoticeLeast = 90 * 24 * time.Hour

// Deprecation announces that an operation is to go. Every response of it then
// carries the announcement, and so do the documents.
type Deprecation struct {
	// Since is when it was announced, and Sunset when the operation may be gone.
	Since, Sunset time.Time
	// Instead is a sentence on the replacement.
	Instead string
}

// Check refuses an announcement that comes too late.
func (d *Deprecation) Check() error {
	if d.Sunset.Sub(d.Since) < NoticeLeast {
		return fmt.Errorf("an operation that is announced on %s cannot go on %s: clients have %d days",
			d.Since.Format(time.DateOnly), d.Sunset.Format(time.DateOnly), NoticeLeast/(24*time.Hour))
	}
	if d.Instead == "" {
		return fmt.Errorf("an operation that goes on %s does not say what takes its place",
			d.Sunset.Format(time.DateOnly))
	}
	return nil
}

// String returns the announcement as a sentence or two.
func (d *Deprecation) String() string {
	return fmt.Sprintf("Deprecated since %s; it may be gone from %s on. %s",
		d.Since.Format(time.DateOnly), d.Sunset.Format(time.DateOnly), d.Instead)
}

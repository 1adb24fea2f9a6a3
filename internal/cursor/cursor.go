// Package cursor reads lists that a client walks by itself, page by page.
package cursor

// mostBeginnings is how often a list is begun anew.
const mostBeginnings = 60

// Walk is how far the reading of a list has come.
type Walk struct {
	// Cursor is that of the page to read next, empty for the first.
	Cursor    string
	beginning int
}

// Anew begins anew when the server has forgotten the cursor of a later page, as an injected fault may have it. It
// reports whether it did: the caller drops the rows that it has then, since all of them come again.
func (w *Walk) Anew(forgotten bool) bool {
	if !forgotten || w.Cursor == "" || w.beginning == mostBeginnings {
		return false
	}
	w.Cursor = ""
	w.beginning++
	return true
}

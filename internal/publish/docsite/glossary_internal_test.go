package docsite

import "testing"

// TestValuesInProseAreCodeThatLeadsNowhere: direct_debit is an error, too, and paid is English.
func TestValuesInProseAreCodeThatLeadsNowhere(t *testing.T) {
	t.Parallel()
	g := &glossary{paths: map[string]string{"direct_debit": "/docs/errors/direct_debit"}}
	text := ""
	for _, s := range g.fieldProse(field{
		Doc:    "open is not paid; paid is. By direct_debit: see paid_by.",
		Values: []string{"open", "paid", "direct_debit"},
	}) {
		if s.Path != "" {
			t.Errorf("%s leads to %s", s.Text, s.Path)
		}
		if s.Code {
			s.Text = "<" + s.Text + ">"
		}
		text += s.Text
	}
	if want := "<open> is not paid; <paid> is. By <direct_debit>: see <paid_by>."; text != want {
		t.Errorf("the prose is %s, want %s", text, want)
	}
}

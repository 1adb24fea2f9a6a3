package catalog

import (
	"strings"

	"platen/internal/words/problem"
)

// A reference is a text by which a record of one system names a record of the other. References are kept without
// white space around them and compared without case (contract: OPEN.REFERENCE).

// Folded returns a reference in the form in which references are compared.
func Folded(reference string) string { return strings.ToLower(strings.TrimSpace(reference)) }

// Trimmed returns a reference as it is kept, nil without one.
func Trimmed(reference *string) *string {
	if reference == nil {
		return nil
	}
	return new(strings.TrimSpace(*reference))
}

// CheckReference refuses a reference in the field of a body that is white space alone.
func CheckReference(field string, reference *string) error {
	if reference == nil || strings.TrimSpace(*reference) != "" {
		return nil
	}
	return problem.Invalid(problem.Field{
		Field: field, Rule: "minLength", Message: field + " must have at least 1 character that is no white space.",
	})
}

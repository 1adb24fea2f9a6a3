package company_test

import (
	"testing"

	"platen/internal/company/factory"
)

// TestARowIsUpdatedOnlyWhenItReadsDifferently: an operator who is busy reads
// like one who is not, so starting a press touches nothing that clients read of
// them, and neither updated_at nor the ETag may move.
func TestARowIsUpdatedOnlyWhenItReadsDifferently(t *testing.T) {
	t.Parallel()
	l := quiet(t, "manual", 1)
	before := rowsOf[factory.Operator](l, "operator")
	l.gang("prs_digital", 5, job{"prd_card", 10})
	l.must(tick(480))
	for i, after := range rowsOf[factory.Operator](l, "operator") {
		if after != before[i] {
			t.Errorf("the operator was %+v and is %+v", before[i], after)
		}
	}
}

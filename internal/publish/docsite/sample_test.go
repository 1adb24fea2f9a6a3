package docsite_test

import (
	"regexp"
	"strings"
	"testing"

	"platen/internal/operation"
	"platen/internal/operation/schema"
)

func TestEverySampleBodyIsValid(t *testing.T) {
	t.Parallel()
	sent := regexp.MustCompile(`--json '([^']*)'`)
	for _, op := range operation.Table() {
		all := snippets(body(t, "/docs/api/"+op.ID))
		if len(all) != 4 || !strings.Contains(all[0],
			origin+"/v1"+strings.NewReplacer("{id}", "$ID", "{delivery_id}", "$DELIVERY_ID").Replace(op.Path)) {
			t.Errorf("%s has the snippets %q", op.ID, all)
			continue
		}
		for _, snippet := range all {
			if has := strings.Contains(snippet, "Idempotency-Key"); has != (op.Key != operation.KeyNone) {
				t.Errorf("%s: a snippet has a key: %t; the rule is %s", op.ID, has, op.Key)
			}
			if !strings.Contains(snippet, "code") && snippet != all[0] {
				t.Errorf("%s: a snippet does not read the code of a refusal", op.ID)
			}
		}
		m := sent.FindStringSubmatch(all[0])
		switch {
		case op.In == nil && m != nil:
			t.Errorf("%s takes no body, the snippet sends one", op.ID)
		case op.In == nil:
		case m == nil && !op.BodyOptional:
			t.Errorf("%s wants a body, the snippet sends none", op.ID)
		case m != nil:
			in, err := schema.NewInput(schema.New(), op.In)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := in.Decode([]byte(m[1])); err != nil {
				t.Errorf("%s: %s is refused: %v", op.ID, m[1], err)
			}
		}
	}
}

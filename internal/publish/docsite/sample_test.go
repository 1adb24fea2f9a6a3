package docsite_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"platen/internal/operation"
	"platen/internal/operation/schema"
)

func TestEverySampleBodyIsValid(t *testing.T) {
	t.Parallel()
	sent, variable := regexp.MustCompile(`--json '(.*)'`), regexp.MustCompile(`'\$[A-Z_]+'`)
	for _, op := range operation.Table() {
		all := snippets(body(t, "/docs/api/"+op.ID))
		if len(all) != 4 || !strings.Contains(all[0],
			origin+"/v1"+strings.NewReplacer("{id}", "$ID", "{delivery_id}", "$DELIVERY_ID").Replace(op.Path)) {
			t.Errorf("%s has the snippets %q", op.ID, all)
			continue
		}
		for _, snippet := range all {
			if has := strings.Contains(snippet, "Idempotency-Key"); has != keyed(&op) {
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
			if _, err := in.Decode([]byte(variable.ReplaceAllString(m[1], "SO-1001"))); err != nil {
				t.Errorf("%s: %s is refused: %v", op.ID, m[1], err)
			}
		}
	}
}

// keyed reports whether the samples of an operation send a key: a PATCH does the same when it is sent twice.
func keyed(op *operation.Operation) bool {
	return op.Key != operation.KeyNone && op.Method != http.MethodPatch
}

// TestEverySampleNamesItsKey for the step and the record, and the same in each language. The key of a new sandbox
// counts for a whole network, so it alone is random.
func TestEverySampleNamesItsKey(t *testing.T) {
	t.Parallel()
	curl := regexp.MustCompile(`"Idempotency-Key: (.*)"`)
	named := regexp.MustCompile(`(?m)^\t*(?:const )?key :?= (.*?);?$`)
	variable := regexp.MustCompile(`\$\{?\w+\}?|\{\w+\}|" \+ \w+(?: \+ ")?`)
	for _, op := range operation.Table() {
		if !keyed(&op) {
			continue
		}
		all := snippets(body(t, "/docs/api/"+op.ID))
		made := op.ID == "create_sandbox" || op.ID == "fork_sandbox"
		if random := slices.ContainsFunc(all, drawn.MatchString); random != made {
			t.Errorf("%s draws its key at random: %t", op.ID, random)
		}
		if made {
			continue
		}
		first := curl.FindStringSubmatch(all[0])
		if first == nil {
			t.Errorf("%s has no key for curl", op.ID)
			continue
		}
		want := variable.ReplaceAllString(first[1], "*")
		if len(strings.ReplaceAll(want, "*", strings.Repeat("x", 16))) > operation.MaxIdempotencyKeyLength {
			t.Errorf("%s: the key %s gets too long", op.ID, first[1])
		}
		for _, snippet := range all[1:] {
			m := named.FindStringSubmatch(snippet)
			if m == nil {
				t.Errorf("%s names no key in\n%s", op.ID, snippet)
				continue
			}
			if got := strings.Trim(strings.TrimPrefix(variable.ReplaceAllString(m[1], "*"), "f"), "\"`"); got != want {
				t.Errorf("%s has the key %s, curl has %s", op.ID, m[1], first[1])
			}
		}
	}
}

// drawn finds the ways to draw a key.
var drawn = regexp.MustCompile(`openssl rand|\brand\.Text|randomUUID|uuid4`)

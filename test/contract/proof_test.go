package contract

import (
	"crypto/sha256"
	"fmt"
	"math/bits"
	"net/http"
	"platen/client"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// prove solves a challenge as the contract says.
func prove(challenge string, difficulty int64) string {
	for nonce := 0; ; nonce++ {
		text := strconv.Itoa(nonce)
		sum := sha256.Sum256([]byte(challenge + text))
		zeros := 0
		for _, b := range sum {
			zeros += bits.LeadingZeros8(b)
			if b != 0 {
				break
			}
		}
		if int64(zeros) >= difficulty {
			return challenge + "." + text
		}
	}
}

func (r request) proven(proof string) request {
	r.headers = append(slices.Clip(r.headers), "Sim-PoW", proof)
	return r
}

func TestCreationCanAskForWork(t *testing.T) {
	t.Parallel()
	rows(t, "POW.SWITCH", "POW.REQUIRED", "POW.CHALLENGE", "POW.DIFFICULTY", "POW.SOLVE", "POW.HEADER",
		"ERR.POW_REQUIRED", "OPEN.POW.CHALLENGE", "OPEN.POW.WRONG", "ROUTE.SANDBOXES.CREATE")
	shared.send(t, creation).want(http.StatusCreated, "") // switched off unless asked for
	shared.send(t, creation.proven("nonsense")).want(http.StatusCreated, "")
	s := serve(t, map[string]string{"pow-difficulty": "9", "anonymous-rate": "0"})
	challenges := map[string]bool{}
	task := func(a *answer, reason string) string {
		t.Helper()
		details := a.want(http.StatusPreconditionRequired, "pow_required").details()
		challenge := text(details, "challenge")
		if number(t, details, "difficulty") != 9 || challenges[challenge] || text(details, "reason") != reason {
			t.Errorf("want the reason %q and a fresh challenge: %s", reason, a.Raw)
		}
		challenges[challenge] = true
		return challenge
	}
	proof := prove(task(s.send(t, creation), ""), 9)
	for _, bad := range []string{"", "x", proof + "1x", "1." + proof, proof[1:], "." + proof} {
		task(s.send(t, creation.proven(bad)), map[bool]string{true: "", false: "wrong"}[bad == ""])
	}
	// Neither those nor a request that could not be made have used it up.
	impossible := creation.proven(proof)
	impossible.body = `{"preset":"volcano"}`
	s.send(t, impossible).want(http.StatusUnprocessableEntity, "invalid_preset")
	s.send(t, creation.proven(proof)).want(http.StatusCreated, "")
	for range 2 {
		task(s.send(t, creation.proven(proof)), "used")
	}
	if _, err := client.CreateSandbox(t.Context(), s.BaseURL, client.CreateSandboxInput{}); err != nil {
		t.Errorf("the client: %v", err)
	}
}

// TestAnAgentCanDoTheWork: the tool takes the proof that the header takes.
func TestAnAgentCanDoTheWork(t *testing.T) {
	t.Parallel()
	rows(t, "POW.HEADER", "OPEN.MCP.PROOF")
	s := serve(t, map[string]string{"pow-difficulty": "8", "anonymous-rate": "0"})
	a := &agent{service: s, t: t, path: "/mcp"}
	refused := a.rpc("tools/call", `{"name":"create_sandbox","arguments":{}}`)
	challenge := regexp.MustCompile(`\\?"challenge\\?":\\?"([^"\\]+)`).FindStringSubmatch(string(refused.Raw))
	if challenge == nil {
		t.Fatalf("without a proof: %s", refused.Raw)
	}
	made := a.rpc("tools/call",
		fmt.Sprintf(`{"name":"create_sandbox","arguments":{"proof_of_work":%q}}`, prove(challenge[1], 8)))
	if !strings.Contains(string(made.Raw), "sbx_") {
		t.Errorf("with the proof: %s", made.Raw)
	}
	if again := a.rpc("tools/call", fmt.Sprintf(`{"name":"create_sandbox","arguments":{"proof_of_work":%q}}`,
		prove(challenge[1], 8))); !strings.Contains(string(again.Raw), "pow_required") {
		t.Errorf("with a used proof: %s", again.Raw)
	}
}

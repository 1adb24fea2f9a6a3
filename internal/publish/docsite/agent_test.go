package docsite_test

import (
	"encoding/json"
	"html"
	"regexp"
	"strings"
	"testing"
)

// TestTheConfigurationOfEveryHostCanBePasted: it is well-formed, names this
// server, and has a version that sends a key.
func TestTheConfigurationOfEveryHostCanBePasted(t *testing.T) {
	t.Parallel()
	page := body(t, "/docs/agents")
	blocks := regexp.MustCompile(`(?s)<pre tabindex="0"><code>(.*?)</code></pre>`).FindAllStringSubmatch(page, -1)
	keyed, documents := 0, 0
	for _, block := range blocks {
		text := html.UnescapeString(block[1])
		if !strings.Contains(text, origin+"/mcp") && !strings.Contains(text, origin+"/v1") {
			t.Errorf("it leads elsewhere: %s", text)
		}
		if strings.HasPrefix(text, "{") {
			documents++
			if !json.Valid([]byte(text)) {
				t.Errorf("no JSON: %s", text)
			}
		}
		if regexp.MustCompile(`Bearer |bearer_token`).MatchString(text) {
			keyed++
		}
	}
	const hosts, inJSON = 7, 5
	if documents != 2*inJSON || keyed != hosts+2 || len(blocks) != 2*hosts+2 {
		t.Errorf("%d blocks, %d of JSON, %d with a key", len(blocks), documents, keyed)
	}
}

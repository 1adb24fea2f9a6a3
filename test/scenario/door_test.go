package scenario

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"platen/test/testclient"
)

// TestTheDoorsOfTheReadmeOpen types the command of each of the three ways in, in the folder of a clone, and follows
// the links behind it: each is a file of the repository, and its anchor a heading there.
func TestTheDoorsOfTheReadmeOpen(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(raw), "](http://127.0.0.1") || strings.Contains(string(raw), "<http://127.0.0.1") {
		t.Error("a link of the README leads to a server that its reader may not have")
	}
	_, section, _ := strings.Cut(string(raw), "\n## What do you want to do?\n")
	section, _, _ = strings.Cut(section, "\n## ")
	doors := strings.Split(section, "\n### ")[1:]
	if len(doors) != 3 {
		t.Fatalf("the README has %d doors", len(doors))
	}
	for i, opened := range []func(t *testing.T, folder, printed string){
		func(t *testing.T, _, printed string) {
			t.Helper()
			if !strings.Contains(printed, "paid") {
				t.Errorf("the demo prints\n%s", printed)
			}
		},
		twentyEqualCompanies,
		func(t *testing.T, _, printed string) {
			t.Helper()
			if !strings.HasPrefix(printed, "Result: ") || !strings.Contains(printed, "Players of known skill") {
				t.Errorf("the evaluation prints\n%s", printed)
			}
		},
	} {
		title, text, _ := strings.Cut(doors[i], "\n")
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			links := relativeLink.FindAllStringSubmatch(text, -1)
			if len(links) != 3 {
				t.Errorf("the door has %d links", len(links))
			}
			for _, link := range links {
				leadsToAHeading(t, link[1], link[2])
			}
			commands, _ := blocks(text + "\n")
			if len(commands) != 1 {
				t.Fatalf("the door has %d commands", len(commands))
			}
			testclient.Need(t, "curl")
			block, folder := typed(t, commands[0]), "../.."
			if !strings.Contains(block, "go run ") {
				folder = t.TempDir() // it leaves files
			}
			shell := exec.CommandContext(t.Context(), testclient.Need(t, "sh"), "-c", "set -eu\n"+block)
			shell.Dir = folder
			shell.Env = append(os.Environ(), "TMPDIR="+t.TempDir(), "CGO_ENABLED=0")
			var complaints strings.Builder
			shell.Stderr = &complaints
			out, err := shell.Output()
			if err != nil {
				t.Fatalf("%s\n%v\n%s%s", block, err, out, complaints.String())
			}
			opened(t, folder, string(out))
		})
	}
}

// relativeLink finds links to files, with the anchor.
var relativeLink = regexp.MustCompile(`\]\(([^)#:]+)#?([^)]*)\)`)

// leadsToAHeading looks for a file, and for a heading that has the anchor on a code host: there an id in braces is a
// part of the heading.
func leadsToAHeading(t *testing.T, path, anchor string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("../..", path))
	if err != nil {
		t.Error(err)
		return
	}
	heading := `(?mi)^#+ ` + strings.ReplaceAll(regexp.QuoteMeta(anchor), "-", "[ -]") + `$`
	if anchor != "" && !regexp.MustCompile(heading).Match(page) {
		t.Errorf("%s has no heading for #%s", path, anchor)
	}
}

// twentyEqualCompanies reads what the class got: keys that differ, for companies with the same first order.
func twentyEqualCompanies(t *testing.T, folder, _ string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "class", "*.json"))
	if err != nil || len(files) != 20 {
		t.Fatalf("%d students: %v", len(files), err)
	}
	keys, companies := map[string]bool{}, map[string]bool{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var created struct{ Data map[string]string }
		if err := json.Unmarshal(raw, &created); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		for _, name := range []string{"office_key", "factory_key", "grading_key"} {
			keys[created.Data[name]] = true
		}
		orders := ""
		for _, order := range (testclient.Request{
			Method: http.MethodGet, URL: server().Origin + "/v1/office/sales-orders", Key: created.Data["office_key"],
		}).Send(t).Items() {
			orders += fmt.Sprintln(order["number"], order["sku"], order["quantity"], order["total_minor"])
		}
		companies[orders] = true
	}
	if len(keys) != 60 || len(companies) != 1 {
		t.Errorf("%d keys and %d kinds of companies for twenty students", len(keys), len(companies))
	}
}

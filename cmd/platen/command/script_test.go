//go:build unix

package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
)

var update = flag.Bool("update", false, "rewrite the golden parts of testdata/script")

// patience is how long a script waits for a process: far beyond what it takes.
const patience = 60 * time.Second

// untraced are the words before a command that has to be started without the capability to trace others.
var untraced = func() []string { return nil }

// TestCommandLine runs the scripts of testdata/script: the program as a user
// types it. In a script platen is one of many command lines of a process, exec platen and
// what a shell runs are processes of their own.
func TestCommandLine(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			env.Values[series] = &process{}
			env.Setenv("UNTRACED", strings.Join(untraced(), " "))
			return nil
		},
		// [without:PROGRAM] skips a script on a machine that lacks it, unless PLATEN_TEST_ALL is set.
		Condition: func(cond string) (bool, error) {
			program, known := strings.CutPrefix(cond, "without:")
			if !known {
				return false, fmt.Errorf("no condition %q", cond)
			}
			_, err := exec.LookPath(program)
			return err != nil && os.Getenv("PLATEN_TEST_ALL") == "", nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"platen":    platen,
			"exits":     exits,
			"listening": listening,
			"answers":   answers,
			"member":    member,
			"preset":    preset,
			"dotenv":    dotenv,
			"terminate": terminate,
			"sandbox":   sandbox,
			"receiver":  receiver,
			"waits":     waits,
			"hostile":   hostile,
		},
	})
}

// platen runs a command line that succeeds, or one that does not: ! platen --nope.
func platen(ts *testscript.TestScript, fails bool, args []string) {
	if got := start(ts, args); (got != 0) != fails {
		ts.Fatalf("the exit status is %d", got)
	}
}

// hostile starts a server whose texts act on a terminal, and puts its URL into a variable: checkpoints are listed, and
// everything else is an error.
func hostile(ts *testscript.TestScript, _ bool, args []string) {
	const text = "\u001b]52;c;eA==\u0007\u009b2J\u202e"
	data, err := json.Marshal(text)
	ts.Check(err)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/checkpoints") {
			fmt.Fprintf(w, `{"meta":{},"data":{"items":[{"label":%s,"name":%[1]s,"id":%[1]s}],"next_cursor":null}}`,
				data)
			return
		}
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"meta":{},"error":{"code":%s,"message":%[1]s,"hint":%[1]s}}`, data)
	}))
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL)
}

// exits runs a command line and wants an exit status: exits 2 platen --nope.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := start(ts, args[2:]); got != want {
		ts.Fatalf("the exit status is %d, want %d", got, want)
	}
}

var origin = regexp.MustCompile(`start here  (http://\S+)/`)

// listening waits until a server has written to a file where it is, and sets
// a variable to its origin: listening server.log ORIGIN.
func listening(ts *testscript.TestScript, _ bool, args []string) {
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); <-look.C {
		text, err := os.ReadFile(ts.MkAbs(args[0]))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			ts.Fatalf("%v", err)
		}
		if match := origin.FindSubmatch(text); match != nil {
			ts.Setenv(args[1], string(match[1]))
			return
		}
	}
	ts.Fatalf("no server said where it is")
}

// answers gets a URL and wants a status, and the body to match a pattern:
// answers 200 $ORIGIN/readyz ready.
func answers(ts *testscript.TestScript, _ bool, args []string) {
	client := &http.Client{Timeout: patience}
	response, err := client.Get(args[1])
	ts.Check(err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	ts.Check(err)
	if strconv.Itoa(response.StatusCode) != args[0] || !regexp.MustCompile(args[2]).Match(body) {
		ts.Fatalf("%s answers %d %s", args[1], response.StatusCode, body)
	}
}

// member wants a member of a JSON object: member stdout paid true.
func member(ts *testscript.TestScript, _ bool, args []string) {
	var value any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &value))
	for name := range strings.SplitSeq(args[1], ".") {
		object, ok := value.(map[string]any)
		if !ok {
			ts.Fatalf("%s has no member %s", args[0], args[1])
		}
		value = object[name]
	}
	got, err := json.Marshal(value)
	ts.Check(err)
	if string(got) != args[2] {
		ts.Fatalf("%s is %s, want %s", args[1], got, args[2])
	}
}

// preset writes the file of the default preset with some texts replaced:
// preset odd/odd.json '"speed": 8' '"speed": 9999'.
func preset(ts *testscript.TestScript, _ bool, args []string) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "internal", "company", "preset", "starter.json"))
	ts.Check(err)
	for i := 1; i < len(args); i += 2 {
		if !bytes.Contains(text, []byte(args[i])) {
			ts.Fatalf("the default preset has no %s", args[i])
		}
		text = bytes.Replace(text, []byte(args[i]), []byte(args[i+1]), 1)
	}
	path := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o700))
	ts.Check(os.WriteFile(path, text, 0o600))
}

// exported is a line of the .env file in the console's script that offers one.
var exported = regexp.MustCompile("`([A-Z_]+=)\\$\\{(?:shown\\()?([a-z_.]+)\\)?\\}([^`]*)\\\\n`")

// dotenv writes the .env file that the console offers for a new sandbox, the answer of
// platen new --json: dotenv .env sandbox.json $ORIGIN.
func dotenv(ts *testscript.TestScript, _ bool, args []string) {
	script, err := os.ReadFile("../../../internal/publish/web/static/lib/session.js")
	ts.Check(err)
	var made map[string]any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[1])), &made))
	values := map[string]string{"location.origin": args[2]}
	for name, value := range made {
		values["s."+name] = fmt.Sprint(value)
	}
	var text strings.Builder
	for _, line := range exported.FindAllStringSubmatch(string(script), -1) {
		value, ok := values[line[2]]
		if !ok {
			ts.Fatalf("a new sandbox has no %s, which the console's .env has in %s", line[2], line[1])
		}
		text.WriteString(line[1] + value + line[3] + "\n")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text.String()), 0o600))
}

// TestEveryCommandIsTriedWithTheFileOfTheConsole keeps the script complete that does so.
func TestEveryCommandIsTriedWithTheFileOfTheConsole(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile(filepath.Join("testdata", "script", "names.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		// The tasks, which have keys of their own, have a script of their own, and the commands about
		// records are all alike.
		server := cmd.Flags().Lookup("server")
		finds := server != nil && strings.Contains(server.Usage, "PLATEN_URL") && cmd.Parent().Name() != "tasks" &&
			!strings.HasPrefix(cmd.Parent().GroupID, "Records")
		if finds && !regexp.MustCompile(regexp.QuoteMeta(cmd.CommandPath())+`\b`).Match(script) {
			t.Errorf("names.txtar does not try %s, which looks for a server", cmd.CommandPath())
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root())
}

// terminate asks the programs in the background to end, as systems do.
func terminate(ts *testscript.TestScript, _ bool, _ []string) {
	for _, cmd := range ts.BackgroundCmds() {
		ts.Check(cmd.Process.Signal(syscall.SIGTERM))
	}
}

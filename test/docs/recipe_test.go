//go:build unix

package docs_test

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/oasdiff/yaml3"

	"platen/test/testclient"
)

// recipe is a job of GitHub Actions, as far as the guide on CI shows one.
type recipe struct {
	Env   map[string]string
	Steps []struct {
		Uses, Run string
		With      map[string]string
	}
}

// recipes are the jobs of the guide, as a reader gets them, by the mark of their block.
func recipes(t *testing.T) map[string]*recipe {
	t.Helper()
	all := map[string]*recipe{}
	for _, fence := range fences.FindAllStringSubmatch(page(t, shared(), "/docs/ci.md"), -1) {
		if name, ok := strings.CutPrefix(fence[1], "yaml test="); ok {
			r := &recipe{}
			if err := yaml.Unmarshal([]byte(fence[2]), r); err != nil {
				t.Fatalf("the recipe %s: %v", name, err)
			}
			all[name] = r
		}
	}
	if want := []string{"container", "go", "program"}; !slices.Equal(slices.Sorted(maps.Keys(all)), want) {
		t.Fatalf("the guide has the recipes %v, want %v", slices.Sorted(maps.Keys(all)), want)
	}
	return all
}

// runner is the machine of a job. It replaces the actions that a recipe uses, and runs the other steps.
type runner struct {
	workspace, port string
	path            []string
	env             []string
}

// newRunner makes a machine with the reader's repository in its workspace. Programs in tools come first.
func newRunner(t *testing.T, project map[string]string, tools map[string]string) *runner {
	t.Helper()
	folder := t.TempDir()
	r := &runner{
		workspace: filepath.Join(folder, "work"), port: freePort(t), path: []string{filepath.Join(folder, "tools")},
	}
	for name, text := range tools {
		writeProgram(t, filepath.Join(r.path[0], name), text)
	}
	for name, text := range project {
		writeProgram(t, filepath.Join(r.workspace, name), text)
	}
	for variable, name := range map[string]string{"RUNNER_TEMP": "temp", "STORE": "store", "HOME": "home"} {
		if err := os.MkdirAll(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
		r.env = append(r.env, variable+"="+filepath.Join(folder, name))
	}
	r.env = append(r.env, "GITHUB_PATH="+filepath.Join(folder, "github-path"), "PLATEN_LISTEN=127.0.0.1:"+r.port)
	return r
}

// play runs a job. It returns the step that failed, -1 for none, and what it said.
func (r *runner) play(t *testing.T, job *recipe) (failed int, said string) {
	t.Helper()
	for variable, value := range job.Env {
		r.env = append(r.env, variable+"="+r.moved(value))
	}
	for i, step := range job.Steps {
		action, _, _ := strings.Cut(step.Uses, "@")
		switch {
		case action == "actions/checkout" && step.With["repository"] == "": // the workspace
		case action == "actions/checkout":
			checkOut(t, filepath.Join(r.workspace, step.With["path"]))
		case action == "actions/setup-go":
			for _, file := range step.With {
				if _, err := os.Stat(filepath.Join(r.workspace, file)); err != nil {
					t.Fatalf("step %d: %v", i, err)
				}
			}
		case step.Run == "" || step.Uses != "":
			t.Fatalf("step %d uses %q, which nothing here replaces", i, step.Uses)
		default:
			out, err := r.run(t, step.Run)
			if err != nil {
				return i, out
			}
		}
	}
	return -1, ""
}

// run runs a step as the runner of GitHub does: bash -e, with the folders that earlier steps added to the PATH.
func (r *runner) run(t *testing.T, script string) (said string, err error) {
	t.Helper()
	file := put(t, "step.sh", r.moved(script))
	path := slices.Clone(r.path)
	for _, variable := range r.env {
		if name, ok := strings.CutPrefix(variable, "GITHUB_PATH="); ok {
			added, err := os.ReadFile(name)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			path = append(path, strings.Fields(string(added))...)
		}
	}
	var out bytes.Buffer
	step := exec.CommandContext(t.Context(), "bash", "-e", file)
	step.Dir, step.Stdout, step.Stderr = r.workspace, &out, &out
	step.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "PLATEN_") || strings.HasPrefix(v, "HOME=")
	})
	step.Env = append(append(step.Env, r.env...), "PATH="+strings.Join(append(path, os.Getenv("PATH")), ":"))
	// What a step leaves in the background goes on for the next one, and ends with the job.
	step.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := step.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(-step.Process.Pid, syscall.SIGKILL) }) // none is left where all have ended
	err = step.Wait()
	return out.String(), err
}

// moved has the port of this test in place of that of the guide.
func (r *runner) moved(text string) string { return strings.ReplaceAll(text, "8080", r.port) }

// freePort is a port on which nothing listens.
func freePort(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err := errors.Join(err, listener.Close()); err != nil {
		t.Fatal(err)
	}
	return port
}

// writeProgram writes a file that can be run.
func writeProgram(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

// checkOut clones this repository, with the changes that are not committed yet.
func checkOut(t *testing.T, folder string) {
	t.Helper()
	git := func(args ...string) string {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), testclient.Need(t, "git"), args...).Output()
		if err != nil {
			t.Fatalf("git %s: %v", strings.Join(args, " "), err)
		}
		return string(out)
	}
	git("clone", "--quiet", "--shared", root, folder)
	for name := range strings.SplitSeq(git("-C", root, "ls-files", "-zmo", "--exclude-standard"), "\x00") {
		from, to := filepath.Join(root, name), filepath.Join(folder, name)
		info, err := os.Lstat(from)
		switch {
		case name == "" || err == nil && !info.Mode().IsRegular():
		case errors.Is(err, fs.ErrNotExist):
			_ = os.Remove(to) // deleted, or staged as deleted
		default:
			text, err := os.ReadFile(from)
			if err != nil {
				t.Fatal(err)
			}
			writeProgram(t, to, string(text))
		}
	}
}

// kit reads a file of testdata/recipe.
func kit(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "recipe", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// reader is the program of a reader, and what the gate says of it; nothing for one that passes.
type reader struct{ program, fails string }

// readers are three: each step has the same key on each attempt, or one for each attempt, or one attempt.
func readers(t *testing.T, file string, key, attempts [2]string) map[string]reader {
	t.Helper()
	good := kit(t, file)
	with := func(change [2]string) string {
		if strings.Count(good, change[0]) != 1 {
			t.Fatalf("%s has %d times %s", file, strings.Count(good, change[0]), change[0])
		}
		return strings.Replace(good, change[0], change[1], 1)
	}
	return map[string]reader{
		"good": {good, ""}, "a key for each attempt": {with(key), "client is 0.000, less than 1"},
		"a single attempt": {with(attempts), "missed: SO-"},
	}
}

// judged plays a recipe with programs: with a bad one its last step fails, which is the gate.
func judged(t *testing.T, job *recipe, programs map[string]reader, machine func(t *testing.T, program string) *runner) {
	t.Helper()
	for name, reader := range programs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := len(job.Steps) - 1
			if reader.fails == "" {
				want = -1
			}
			failed, said := machine(t, reader.program).play(t, job)
			if failed != want || !strings.Contains(said, reader.fails) {
				t.Errorf("step %d fails, want %d with %q:\n%s", failed, want, reader.fails, said)
			}
		})
	}
}

// inShell are the readers of the recipes in any language.
func inShell(t *testing.T) map[string]reader {
	t.Helper()
	for _, name := range []string{"bash", "curl", "jq", "git"} {
		testclient.Need(t, name)
	}
	return readers(t, "my-integration", [2]string{"key=$1", "key=$1-$RANDOM$RANDOM"},
		[2]string{"in 1 2 3 4 5", "in 1"})
}

// TestTheRecipesOfTheGuideEndWithTheGate runs two of them with the program that is here in place of one that is built.
func TestTheRecipesOfTheGuideEndWithTheGate(t *testing.T) {
	t.Parallel()
	path, err := builtPlaten()
	if err != nil {
		t.Fatal(err)
	}
	tools := map[string]string{"go": kit(t, "go.sh"), "docker": kit(t, "quick-docker.sh")}
	for _, name := range []string{"program", "container"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			judged(t, recipes(t)[name], inShell(t), func(t *testing.T, program string) *runner {
				t.Helper()
				r := newRunner(t, map[string]string{"my-integration": program}, tools)
				r.env = append(r.env, "PROGRAM="+path)
				return r
			})
		})
	}
}

// TestNoProgramRunsWithoutASandbox: where platen new fails, the rest of the step is not run.
func TestNoProgramRunsWithoutASandbox(t *testing.T) {
	t.Parallel()
	testclient.Need(t, "bash")
	guide, err := os.ReadFile(filepath.Join(folder, "ci.md"))
	if err != nil {
		t.Fatal(err)
	}
	scripts := map[string]string{}
	for _, fence := range fences.FindAllStringSubmatch(string(guide), -1) {
		if fence[1] == "sh" && strings.Contains(fence[2], "platen new") {
			scripts["the gate"] = fence[2]
		}
	}
	for _, name := range []string{"program", "container"} {
		steps := recipes(t)[name].Steps
		scripts[name] = steps[len(steps)-1].Run
	}
	if len(scripts) != 3 {
		t.Fatalf("only %d scripts create a sandbox", len(scripts))
	}
	for name, script := range scripts {
		r := newRunner(t, map[string]string{"my-integration": "#!/bin/sh\necho it runs"},
			map[string]string{"platen": "#!/bin/sh\ntest $1 != new"})
		if said, err := r.run(t, script); err == nil || strings.Contains(said, "it runs") {
			t.Errorf("%s goes on without a sandbox: %v\n%s", name, err, said)
		}
	}
}

// TestTheRecipeForGo and the next ones build what the recipe builds, out of a clone.
func TestTheRecipeForGo(t *testing.T) {
	t.Parallel()
	testclient.InCheck(t, "TestEveryAcceptedOrderReachesTheFactory of platentest is the test of the guide")
	testclient.Need(t, "git")
	guide, err := os.ReadFile(filepath.Join(folder, "ci.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, test, _ := strings.Cut(string(guide), "```go test=ci.go\n")
	test, _, found := strings.Cut(test, "```\n")
	if !found {
		t.Fatal("the guide has no test in Go")
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	module := "module example.org/bridge\n\ngo 1.26.0\n\nrequire platen v0.0.0\n\nreplace platen => ../elsewhere\n"
	programs := readers(t, "bridge.go.txt",
		[2]string{`client.WithIdempotencyKey(ctx, client.KeyFor("carry", order.ID))`, "ctx"},
		[2]string{"attempts = 5", "attempts = 1"})
	judged(t, recipes(t)["go"], programs, func(t *testing.T, program string) *runner {
		t.Helper()
		return newBuilder(t, map[string]string{
			"go.mod": module, "go.sum": string(sums), "bridge.go": program,
			"bridge_test.go": "package bridge\n\nimport (\n\t\"testing\"\n\n" +
				"\t\"platen/client\"\n\t\"platen/platentest\"\n)\n\n" + test,
		}, nil)
	})
}

func TestTheRecipeForAnyLanguage(t *testing.T) {
	t.Parallel()
	testclient.InCheck(t, "TestTheRecipesOfTheGuideEndWithTheGate builds nothing")
	judged(t, recipes(t)["program"], inShell(t), func(t *testing.T, program string) *runner {
		t.Helper()
		return newBuilder(t, map[string]string{"my-integration": program}, nil)
	})
}

// newBuilder is a machine with Go. Its compiled packages are those of this one, wherever the clone is.
func newBuilder(t *testing.T, project, tools map[string]string) *runner {
	t.Helper()
	r := newRunner(t, project, tools)
	for _, variable := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} {
		value, err := exec.CommandContext(t.Context(), "go", "env", variable).Output()
		if err != nil {
			t.Fatal(err)
		}
		r.env = append(r.env, variable+"="+strings.TrimSpace(string(value)))
	}
	r.env = append(r.env, "GOFLAGS=-trimpath", "CGO_ENABLED=0")
	return r
}

// TestTheRecipeForAContainer builds the image with buildah. The base image of the first stage is not fetched: its steps
// run on this machine. So docker itself, that image and the published port are not tested.
func TestTheRecipeForAContainer(t *testing.T) {
	t.Parallel()
	testclient.InCheck(t, "TestTheRecipesOfTheGuideEndWithTheGate has no container")
	testclient.Need(t, "buildah")
	if os.Getuid() != 0 {
		missing(t, "root, as whom the first stage gives /data away")
	}
	text, err := os.ReadFile(filepath.Join(root, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	_, steps, found := strings.Cut(strings.ReplaceAll(string(text), "\\\n", " "), "\nRUN CGO_ENABLED=0")
	steps, _, ended := strings.Cut(steps, "\n")
	if !found || !ended {
		t.Fatalf("the Dockerfile builds in another way:\n%s", text)
	}
	judged(t, recipes(t)["container"], inShell(t), func(t *testing.T, program string) *runner {
		t.Helper()
		stage := t.TempDir()
		tools := map[string]string{"docker": kit(t, "docker.sh")}
		r := newBuilder(t, map[string]string{"my-integration": program}, tools)
		checkOut(t, filepath.Join(stage, "src"))
		first := "cd '" + filepath.Join(stage, "src") + "'; CGO_ENABLED=0 " +
			strings.ReplaceAll(steps, "/out/root", filepath.Join(stage, "out", "root"))
		if said, err := r.run(t, first); err != nil {
			t.Fatalf("the first stage: %v\n%s", err, said)
		}
		if err := os.RemoveAll(filepath.Join(stage, "src")); err != nil {
			t.Fatal(err)
		}
		r.env = append(r.env, "STAGE="+stage)
		return r
	})
}

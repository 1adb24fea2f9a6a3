//go:build unix

package main

import (
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.yaml.in/yaml/v3"
)

// served is a server of the files of the release.
func served(t *testing.T) string {
	t.Helper()
	all := result(t)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, there := all[strings.TrimPrefix(r.URL.Path, "/")]
		if !there {
			http.NotFound(w, r)
			return
		}
		w.Write(text)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// free is an address that nothing listens on.
func free(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// shell runs a script as a runner does: the first command that fails ends it. What it leaves
// running ends with the test.
func shell(t *testing.T, environment map[string]string, script string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script)
	cmd.Env = os.Environ()
	for name, value := range environment {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	if err := cmd.Wait(); err != nil {
		said, _ := os.ReadFile(log.Name())
		t.Fatalf("%v\n%s\n%s", err, script, said)
	}
}

// plays checks that a server is there, of the release.
func plays(t *testing.T, origin, folder string) {
	t.Helper()
	program := filepath.Join(folder, "platen")
	if said := output(t, nil, program, "demo", "--server", origin); !strings.Contains(said, "Paid.") {
		t.Errorf("the demo said\n%s", said)
	}
	if said := output(t, nil, program, "--version"); !strings.Contains(said, version) {
		t.Errorf("what was installed is %s", said)
	}
}

// TestTheActionStartsAServer: its steps, with its inputs and defaults in their places.
func TestTheActionStartsAServer(t *testing.T) {
	needs(t, "bash")
	needs(t, "curl")
	text, err := os.ReadFile(filepath.Join("..", "..", "deploy", "ci", "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct {
			Steps []struct {
				Run string
				Env map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(text, &action); err != nil {
		t.Fatal(err)
	}
	temporary, listen := t.TempDir(), free(t)
	values := map[string]string{"runner.temp": temporary}
	for name, input := range action.Inputs {
		values["inputs."+name] = input.Default
	}
	values["inputs.releases"], values["inputs.listen"] = served(t), listen
	files := map[string]string{}
	for _, name := range []string{"GITHUB_PATH", "GITHUB_ENV", "GITHUB_OUTPUT"} {
		files[name] = filepath.Join(temporary, name)
	}
	for _, step := range action.Runs.Steps {
		environment := maps.Clone(files)
		for name, value := range step.Env {
			for place, is := range values {
				value = strings.ReplaceAll(value, "${{ "+place+" }}", is)
			}
			environment[name] = value
		}
		shell(t, environment, step.Run)
	}
	said := read(t, temporary)
	for name, want := range map[string]string{
		"GITHUB_PATH": filepath.Join(temporary, "platen") + "\n", "GITHUB_ENV": "PLATEN_URL=http://" + listen + "/v1\n",
		"GITHUB_OUTPUT": "url=http://" + listen + "/v1\n",
	} {
		if string(said[name]) != want {
			t.Errorf("%s is %q, want %q", name, said[name], want)
		}
	}
	plays(t, "http://"+listen, filepath.Join(temporary, "platen"))
}

// TestTheJobOfGitLabStartsAServer before its script.
func TestTheJobOfGitLabStartsAServer(t *testing.T) {
	needs(t, "bash")
	needs(t, "curl")
	text, err := os.ReadFile(filepath.Join("..", "..", "deploy", "ci", "gitlab.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var jobs map[string]struct {
		Variables    map[string]string
		BeforeScript []string `yaml:"before_script"`
	}
	if err := yaml.Unmarshal(text, &jobs); err != nil {
		t.Fatal(err)
	}
	job := jobs[".platen"]
	folder, listen := t.TempDir(), free(t)
	environment := maps.Clone(job.Variables)
	environment["PLATEN_RELEASES"], environment["PLATEN_LISTEN"] = served(t), listen
	environment["CI_PROJECT_DIR"] = folder
	script := append(job.BeforeScript, `echo "$PLATEN_URL" >"$CI_PROJECT_DIR/url"`)
	shell(t, environment, strings.Join(script, "\n"))
	if said := string(read(t, folder)["url"]); said != "http://"+listen+"/v1\n" {
		t.Errorf("PLATEN_URL is %q", said)
	}
	plays(t, "http://"+listen, filepath.Join(folder, ".platen"))
}

//go:build unix

package command

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"platen/test/testclient"
)

// harborTask is an exported task whose company runs in a process of its own, at other addresses
// than in containers.
type harborTask struct {
	folder, work, logs string
	// graded is where the company leaves its grade, environment has its tokens.
	graded      string
	environment []string
	// task is the origin of the host.
	task string
}

// TestExportedTaskIsSolvedAndGraded as a harness does it, but for the containers: what the
// Compose file starts, solution/solve.sh and tests/test.sh, which take addresses and folders from
// their environment.
func TestExportedTaskIsSolvedAndGraded(t *testing.T) {
	t.Parallel()
	testclient.Need(t, "curl") // by which the scripts of the harness ask
	testclient.Need(t, "python3")
	// The second hands over files and asks for an answer, the third for a program that is run.
	for _, name := range []string{"first-order", "noisy-hooks", "repair"} {
		t.Run(name+", separately", func(t *testing.T) {
			t.Parallel()
			gradesSeparately(t, serveHarborTask(t, name, "separate"))
		})
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := serveHarborTask(t, name, "shared")
			if _, err := h.run(t, "platen", "tasks", "ready", "--task-url", h.task); err != nil {
				t.Error("the host is there, and its task is not ready")
			}
			test := filepath.Join(h.folder, "tests", "test.sh")
			output, err := h.run(t, "sh", test)
			if err != nil || h.reward(t) > 0.1 {
				t.Errorf("doing nothing is worth %g, %v\n%s", h.reward(t), err, output)
			}

			if output, err := h.run(t, "sh", filepath.Join(h.folder, "solution", "solve.sh")); err != nil {
				t.Fatalf("solve.sh: %v\n%s", err, output)
			}
			output, err = h.run(t, "sh", test)
			if err != nil || h.reward(t) != 1 {
				t.Errorf("the solution is worth %g, %v\n%s", h.reward(t), err, output)
			}
			if grade := h.file(t, h.logs, "grade.json"); !strings.Contains(grade, `"passed": true`) {
				t.Errorf("grade.json is %s", grade)
			}
			h.refuses(t, test)
		})
	}
}

// gradesSeparately runs the commands of task.toml in their order, and then the judge with what they left.
func gradesSeparately(t *testing.T, h *harborTask) {
	t.Helper()
	test := filepath.Join(h.folder, "tests", "test.sh")
	if output, err := h.run(t, "sh", test); err == nil {
		t.Errorf("without a grade the judge succeeds: %s", output)
	}
	if _, err := os.Stat(filepath.Join(h.logs, "reward.txt")); err == nil {
		t.Error("without a grade there is a reward")
	}
	if output, err := h.run(t, "sh", filepath.Join(h.folder, "solution", "solve.sh")); err != nil {
		t.Fatalf("solve.sh: %v\n%s", err, output)
	}
	hooks := regexp.MustCompile(`(?m)^command = "(.*)"$`).FindAllStringSubmatch(h.file(t, h.folder, "task.toml"), -1)
	for _, hook := range hooks {
		command := strings.NewReplacer("/platen tasks", "platen tasks", "/grade", h.graded,
			"/run.py", filepath.Join(h.folder, "environment", "runner", "run.py"),
			"http://127.0.0.1:8081", h.task, "http://platen:8081", h.task,
			"/app/answer.json", filepath.Join(h.work, "answer.json")).Replace(hook[1])
		if output, err := h.run(t, "sh", "-c", command); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, output)
		}
	}
	if output, err := h.run(t, "sh", test); err != nil || h.reward(t) != 1 {
		t.Errorf("the solution is worth %g, %v\n%s", h.reward(t), err, output)
	}
	if grade := h.file(t, h.logs, "grade.json"); !strings.Contains(grade, `"passed": true`) {
		t.Errorf("grade.json is %s", grade)
	}
}

// refuses wants a reward of 0, with its reason, for a judge that is not there or does not know
// the token, although the task is solved.
func (h *harborTask) refuses(t *testing.T, test string) {
	t.Helper()
	output, err := h.run(t, "env", "PLATEN_JUDGE_URL=http://127.0.0.1:1/grade", "sh", test)
	if err == nil || h.reward(t) != 0 || !strings.Contains(output, "cannot be reached") {
		t.Errorf("without a judge: %g, %v\n%s", h.reward(t), err, output)
	}
	forged := regexp.MustCompile(`token=\w+`).ReplaceAllString(h.file(t, test), "token=GUESSEDGUESSEDGUESSED")
	other := filepath.Join(filepath.Dir(test), "forged.sh")
	if err := os.WriteFile(other, []byte(forged), 0o600); err != nil {
		t.Fatal(err)
	}
	output, err = h.run(t, "sh", other)
	if err == nil || h.reward(t) != 0 || !strings.Contains(output, "401") || !strings.Contains(output, "unauthorized") {
		t.Errorf("with another token: %g, %v\n%s", h.reward(t), err, output)
	}
}

// serveHarborTask exports a task and starts what the Compose file of it says.
func serveHarborTask(t *testing.T, name, judge string) *harborTask {
	t.Helper()
	h := &harborTask{work: t.TempDir(), logs: filepath.Join(t.TempDir(), "verifier"), graded: t.TempDir()}
	exported := filepath.Join(t.TempDir(), "tasks")
	if output, err := h.run(t, "platen", "tasks", "export", "--judge", judge, "--harbor", exported, name); err != nil {
		t.Fatalf("export: %v\n%s", err, output)
	}
	h.folder = filepath.Join(exported, "platen-"+name)
	compose := h.file(t, h.folder, "environment", "docker-compose.yaml")
	var arguments []string
	for _, argument := range regexp.MustCompile(`(?m)^ {6}- "?(tasks|serve|`+name+`|--\S+?)"?$`).
		FindAllStringSubmatch(compose, -1) {
		if strings.HasPrefix(argument[1], "--public-url=") {
			continue // the name of a container
		}
		arguments = append(arguments, regexp.MustCompile(`0\.0\.0\.0:\d+`).ReplaceAllString(argument[1], "127.0.0.1:0"))
	}
	for _, variable := range regexp.MustCompile(`(PLATEN_[A-Z_]+): "(\w+)"`).FindAllStringSubmatch(compose, -1) {
		h.environment = append(h.environment, variable[1]+"="+variable[2])
	}
	ctx, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, "platen", arguments...)
	cmd.Env, cmd.Dir, cmd.Stderr = append(os.Environ(), h.environment...), h.work, os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		defer stop()
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("platen tasks serve ended with %v", err)
		}
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if judge, ok := strings.CutPrefix(lines.Text(), "judge"); ok {
			h.task = strings.TrimSuffix(strings.TrimSpace(judge), "/grade")
			return h
		}
	}
	t.Fatalf("%v says no address of its judge", arguments)
	return nil
}

// run runs a program as the harness runs it in the container of the agent.
func (h *harborTask) run(t *testing.T, program string, arguments ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, arguments...)
	cmd.Dir = h.work
	cmd.Env = append(os.Environ(), "PLATEN_JUDGE_URL="+h.task+"/grade", "PLATEN_SOLVE_URL="+h.task+"/solve",
		"PLATEN_TRIAL_URL="+h.task+"/trial", "PLATEN_ANSWER_URL="+h.task+"/task/answer",
		"PLATEN_GRADE_DIR="+h.graded, "PLATEN_LOGS_DIR="+h.logs,
		"PLATEN_ANSWER_FILE="+filepath.Join(h.work, "answer.json"))
	cmd.Env = append(cmd.Env, h.environment...)
	output, err := cmd.CombinedOutput()
	return string(output), err
}

func (h *harborTask) file(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// reward is the number that the harness reads.
func (h *harborTask) reward(t *testing.T) float64 {
	t.Helper()
	text := strings.TrimSpace(h.file(t, h.logs, "reward.txt"))
	number, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatalf("the reward is %q", text)
	}
	return number
}

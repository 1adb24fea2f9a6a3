package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"time"
)

// closingTime is how long a child may take to end.
const closingTime = 15 * time.Second

// A child is this program again, to be measured in a process of its own. It
// answers each line on its standard input with one JSON value, says the first
// without being asked, and ends when its input does: also when the first
// process dies.
type child struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers *json.Decoder
}

// spawn starts a child and reads what it says first.
func (b *bench) spawn(ctx context.Context, hello any, role string, args ...string) (*child, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	c := &child{cmd: exec.CommandContext(ctx, program, append([]string{childWord, role, b.profile}, args...)...)}
	c.cmd.Stderr = os.Stderr
	c.cmd.WaitDelay = closingTime
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start %s: %w", role, err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", role, err)
	}
	c.answers = json.NewDecoder(out)
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", role, err)
	}
	if err := c.answers.Decode(hello); err != nil {
		return nil, errors.Join(fmt.Errorf("%s said nothing: %w", role, err), c.close())
	}
	return c, nil
}

// ask sends a question and reads its answer.
func (c *child) ask(answer any, question string, values ...any) error {
	if _, err := fmt.Fprintf(c.in, question+"\n", values...); err != nil {
		return fmt.Errorf("ask a child: %w", err)
	}
	if err := c.answers.Decode(answer); err != nil {
		return fmt.Errorf("ask a child: %w", err)
	}
	return nil
}

// close ends the child and waits for it.
func (c *child) close() error {
	late := time.AfterFunc(closingTime, func() { _ = c.cmd.Process.Kill() })
	defer late.Stop()
	c.in.Close()
	if err := c.cmd.Wait(); err != nil {
		return fmt.Errorf("a child ended badly: %w", err)
	}
	return nil
}

// once runs a child that has only one thing to say.
func (b *bench) once(ctx context.Context, hello any, role string, args ...string) error {
	c, err := b.spawn(ctx, hello, role, args...)
	if err != nil {
		return err
	}
	return c.close()
}

// parent is how a child sees the first process.
type parent struct {
	questions *bufio.Scanner
	answers   *json.Encoder
}

func (p *parent) say(answer any) error {
	if err := p.answers.Encode(answer); err != nil {
		return fmt.Errorf("answer: %w", err)
	}
	return nil
}

// listen answers questions by their first word until there are no more.
func (p *parent) listen(answer answers) error {
	for p.questions.Scan() {
		word, rest, _ := strings.Cut(p.questions.Text(), " ")
		f := answer[word]
		if f == nil {
			return fmt.Errorf("nobody knows the question %q", word)
		}
		v, err := f(rest)
		if err != nil {
			return err
		}
		if err := p.say(v); err != nil {
			return err
		}
	}
	return nil
}

// beMeasured is what a child does. With a folder for profiles it leaves one of
// its processor time there.
func beMeasured(ctx context.Context, role, profiles string, args []string) error {
	roles := map[string]func(context.Context, *parent, []string) error{
		"prepare": prepare, "prepare-pair": preparePair,
		"platen": servePlaten, "bodiless": serveBodiless, "bare": serveBare, "durable": serveDurable,
		"forgetful": serveForgetful, "commits": runCommits, "loads": runLoads, "forks": runForks,
		"memory": runMemory, "keys": runKeys,
		"days": runDays, "waiting": serveWaiting, "growing": serveGrowing, "node": serveNode,
		"deliveries": runDeliveries, "scheduled": runScheduled,
	}
	f := roles[role]
	if f == nil {
		return fmt.Errorf("nobody can be measured as %q", role)
	}
	if profiles != "" {
		file, err := os.Create(filepath.Join(profiles, role+".cpu"))
		if err != nil {
			return fmt.Errorf("keep a profile: %w", err)
		}
		defer file.Close()
		if err := pprof.StartCPUProfile(file); err != nil {
			return fmt.Errorf("keep a profile: %w", err)
		}
		defer pprof.StopCPUProfile()
	}
	p := &parent{questions: bufio.NewScanner(os.Stdin), answers: json.NewEncoder(os.Stdout)}
	if err := f(ctx, p, args); err != nil {
		return fmt.Errorf("%s: %w", role, err)
	}
	return nil
}

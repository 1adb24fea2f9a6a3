package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"platen/client"
	"platen/internal/config"
)

const (
	// evalDay is the day whose net worth counts unless another is asked for.
	evalDay = 60
	// evalLease is longer than any evaluation is to take.
	evalLease = 7 * 24 * time.Hour
	// maxEvalSeeds is the most seeds that are played in one go.
	maxEvalSeeds = 1000
	// killWait is how long a command may go on after it was asked to end.
	killWait = 5 * time.Second
)

// evaluation is one run of platen eval.
type evaluation struct {
	preset   string
	seeds    []uint64
	day      int
	parallel int
	patience time.Duration
	command  []string

	// said is where the output of the commands goes, line by line.
	said io.Writer

	origin string
	http   *http.Client
}

func evalCommand() *cobra.Command {
	e := &evaluation{}
	var seeds string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "eval --preset agent_eval --seeds 1..10 -- COMMAND [ARGUMENT...]",
		Short: "Let a program play one sandbox per seed, and compare the results",
		Long: "Let a program play one sandbox per seed, and compare the results.\n\n" +
			"The command runs once for each seed, with a sandbox of its own on a server that this starts, without\n" +
			"limits and with a lease that is long enough. It finds this in its environment:\n\n" +
			"  PLATEN_URL          base URL of the API\n" +
			"  PLATEN_OFFICE_KEY   key of Head Office\n" +
			"  PLATEN_FACTORY_KEY  key of the Factory\n" +
			"  PLATEN_MCP_URL      the agent endpoint, which takes the key of Head Office\n" +
			"  PLATEN_SANDBOX_ID, PLATEN_PRESET, PLATEN_SEED\n\n" +
			"Presets with the clock in manual mode wait for the program: it moves the clock itself, with no pause\n" +
			"between two moves. The net worth at the close of the day is taken from the sandbox's report\n" +
			"(GET /sandbox/report). When the command stops before that day, the rest of the days pass without it,\n" +
			"the run is marked as not finished, and the exit status is 1: stopping early is no way to score. The\n" +
			"command's output goes to standard error, results to standard output.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError{errors.New("no command to run: put it behind --")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if e.seeds, err = parseSeeds(seeds); err != nil {
				return usageError{err}
			}
			switch {
			case e.parallel < 1:
				return usageError{fmt.Errorf("--parallel must be at least 1, not %d", e.parallel)}
			case e.day < 1:
				return usageError{fmt.Errorf("--day must be at least 1, not %d", e.day)}
			case e.patience <= 0:
				return usageError{fmt.Errorf("--timeout must be positive, not %s", e.patience)}
			}
			e.command, e.said = args, cmd.ErrOrStderr()
			return e.run(cmd.Context(), cmd.OutOrStdout(), asJSON)
		},
	}
	cmd.Flags().StringVar(&e.preset, "preset", "agent_eval", "The preset to play.")
	cmd.Flags().StringVar(&seeds, "seeds", "1..5", "Worlds to play: 1..10, or 1,4,9, or both.")
	cmd.Flags().IntVar(&e.day, "day", evalDay, "The working day at whose close net worth is taken, counted from 1.")
	cmd.Flags().IntVar(&e.parallel, "parallel", 1, "How many commands run at a time.")
	cmd.Flags().DurationVar(&e.patience, "timeout", time.Hour,
		"How long a command may take; it is ended then, and its result so far counts.")
	cmd.Flags().BoolVar(&asJSON, "json", false, "Print one JSON object with every report.")
	return cmd
}

// parseSeeds reads numbers and ranges of them.
func parseSeeds(text string) ([]uint64, error) {
	var seeds []uint64
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(strings.TrimSpace(part), "..")
		if !isRange {
			last = first
		}
		from, err := strconv.ParseUint(first, 10, 53)
		to, err2 := strconv.ParseUint(last, 10, 53)
		if err != nil || err2 != nil || to < from {
			return nil, fmt.Errorf("--seeds must be numbers such as 1..10 or 1,4,9, not %q", text)
		}
		if to-from >= maxEvalSeeds || len(seeds)+int(to-from) >= maxEvalSeeds {
			return nil, fmt.Errorf("--seeds may name %d worlds at most", maxEvalSeeds)
		}
		for seed := from; seed <= to; seed++ {
			seeds = append(seeds, seed)
		}
	}
	return seeds, nil
}

// played is the result of one seed.
type played struct {
	Seed uint64 `json:"seed"`
	// NetWorthMinor is the net worth at the close of Day, ProfitMinor the part
	// of it that was earned since the opening. Day counts the closes that were
	// reached, up to the one asked for.
	NetWorthMinor int64 `json:"net_worth_minor"`
	ProfitMinor   int64 `json:"profit_minor"`
	Day           int   `json:"day"`
	// Finished is set when the command itself got the company to the day, or to its
	// end. StoppedOn is the day on which it left one that was played on idle.
	Finished  bool `json:"finished"`
	StoppedOn int  `json:"stopped_on,omitzero"`
	// ExitStatus is the command's, -1 when it was ended by a signal or could
	// not be started. Error describes the failure, if any.
	ExitStatus int             `json:"exit_status"`
	Error      string          `json:"error,omitempty"`
	Seconds    float64         `json:"seconds"`
	Report     json.RawMessage `json:"report,omitempty"`

	report evalReport
}

// evalReport holds the fields that are read of a report.
type evalReport struct {
	Status        string `json:"status"`
	PresetVersion int    `json:"preset_version"`
	EngineVersion int    `json:"engine_version"`
	Score         struct {
		OnTimePct   *json.Number `json:"on_time_pct"`
		PayrollLate int64        `json:"payroll_late"`
	} `json:"score"`
	OpeningNetWorthMinor int64 `json:"opening_net_worth_minor"`
	NetWorth             []struct {
		NetWorthMinor int64 `json:"net_worth_minor"`
	} `json:"net_worth"`
	Writes struct {
		Refused  int64 `json:"refused"`
		Replayed int64 `json:"replayed"`
	} `json:"writes"`
	Missions   []struct{} `json:"missions"`
	Invariants struct {
		Hold bool `json:"hold"`
	} `json:"invariants"`
	StateHash string `json:"state_hash"`
}

// run plays all seeds and prints their results. Its error gives the number that
// went wrong.
func (e *evaluation) run(ctx context.Context, out io.Writer, asJSON bool) (err error) {
	stop, origin, err := ownServer(ctx, func(c *config.Config) {
		c.KeyRate, c.IPRate, c.AnonymousRate, c.IPActive, c.IPCreations, c.TickPause = 0, 0, 0, 0, 0, 0
		c.SandboxDuration, c.PrivateWebhooks = evalLease, true
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	e.origin, e.http = origin, &http.Client{Timeout: callTimeout}

	if err := e.offered(ctx); err != nil {
		return err
	}
	results := make([]played, len(e.seeds))
	started := len(e.seeds)
	places, players := make(chan struct{}, e.parallel), sync.WaitGroup{}
	for i, seed := range e.seeds {
		places <- struct{}{}
		if ctx.Err() != nil {
			started = i
			break
		}
		players.Go(func() {
			results[i] = e.play(ctx, seed)
			<-places
		})
	}
	players.Wait()
	results = results[:started]
	s := summarize(e, results)
	if asJSON {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		err = encoder.Encode(s)
	} else {
		err = s.print(out)
	}
	failed := 0
	for i := range results {
		if results[i].Error != "" {
			failed++
		}
	}
	if failed > 0 {
		err = errors.Join(err, fmt.Errorf("%d of %d runs went wrong", failed, len(results)))
	}
	return errors.Join(err, ctx.Err())
}

// play makes the sandbox of a seed, runs the command and takes the report.
func (e *evaluation) play(ctx context.Context, seed uint64) played {
	result, began := played{Seed: seed, ExitStatus: -1}, time.Now()
	api := &caller{base: e.origin + client.BasePath, http: e.http, heard: func(call) {}}
	var sandbox struct {
		SandboxID  string `json:"sandbox_id"`
		OfficeKey  string `json:"office_key"`
		FactoryKey string `json:"factory_key"`
	}
	body := map[string]any{"preset": e.preset, "seed": seed}
	if err := api.do(ctx, request{method: http.MethodPost, path: "/sandboxes", body: body}, &sandbox); err != nil {
		result.Error = err.Error()
		return result
	}
	err := e.runCommand(ctx, seed, []string{
		"PLATEN_URL=" + api.base, "PLATEN_MCP_URL=" + e.origin + "/mcp", "PLATEN_OFFICE_KEY=" + sandbox.OfficeKey,
		"PLATEN_FACTORY_KEY=" + sandbox.FactoryKey, "PLATEN_SANDBOX_ID=" + sandbox.SandboxID,
		"PLATEN_PRESET=" + e.preset, "PLATEN_SEED=" + strconv.FormatUint(seed, 10),
	})
	result.Seconds = float64(time.Since(began).Milliseconds()) / 1000
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		result.ExitStatus = exit.ExitCode()
	} else if err == nil {
		result.ExitStatus = 0
	}
	if err != nil {
		result.Error = err.Error()
	}
	// Earnings count also when the run was ended, and so does the further
	// course of the company with no agent at work.
	if err := e.playOn(context.WithoutCancel(ctx), api, sandbox.OfficeKey, &result); err != nil {
		result.fail("no report: " + err.Error())
		return result
	}
	r := &result.report
	result.Day = min(e.day, len(r.NetWorth)-1)
	result.NetWorthMinor = r.NetWorth[result.Day].NetWorthMinor
	result.ProfitMinor = result.NetWorthMinor - r.OpeningNetWorthMinor
	return result
}

// fail appends to Error.
func (p *played) fail(why string) { p.Error = strings.TrimPrefix(p.Error+"; "+why, "; ") }

// offered refuses an unknown preset, before anything is played.
func (e *evaluation) offered(ctx context.Context) error {
	api := &caller{base: e.origin + client.BasePath, http: e.http, heard: func(call) {}}
	err := api.do(ctx, request{method: http.MethodPost, path: "/sandboxes", body: map[string]any{"preset": e.preset}},
		&struct{}{})
	if refused, ok := errors.AsType[*refusal](err); ok && refused.Code == "invalid_preset" {
		return usageError{
			fmt.Errorf("--preset: %s There are %s", refused.Message, strings.Join(refused.Details.Allowed, ", ")),
		}
	}
	return err
}

// playOn takes the report of a company and, when it has not reached the day,
// lets time pass in it with no agent at work.
func (e *evaluation) playOn(ctx context.Context, api *caller, key string, result *played) error {
	for first := true; ; first = false {
		if err := api.do(ctx, request{method: http.MethodGet, path: "/sandbox/report", key: key},
			&result.Report); err != nil {
			return err
		}
		result.report = evalReport{}
		if err := json.Unmarshal(result.Report, &result.report); err != nil {
			return fmt.Errorf("read a report: %w", err)
		}
		day := len(result.report.NetWorth) - 1
		over := day >= e.day || result.report.Status != "active"
		switch {
		case over && first:
			result.Finished = true
			return nil
		case over:
			result.fail(fmt.Sprintf("stopped on day %d, played on idle", result.StoppedOn))
			return nil
		case first:
			result.StoppedOn = day
		}
		if err := api.do(ctx, request{
			method: http.MethodPost, path: "/sandbox/tick", key: key, body: map[string]any{"minutes": dayMinutes},
		}, &struct{}{}); err != nil {
			return err
		}
	}
}

// dayMinutes is a working day, the most that one tick moves the clock.
const dayMinutes = 480

// runCommand runs the command once.
func (e *evaluation) runCommand(ctx context.Context, seed uint64, environment []string) error {
	patient, cancel := context.WithTimeout(ctx, e.patience)
	defer cancel()
	said := &lines{out: e.said, prefix: fmt.Sprintf("seed %d: ", seed)}
	defer said.Close()
	//nolint:gosec // running it is the purpose of eval
	cmd := exec.CommandContext(patient, e.command[0], e.command[1:]...)
	cmd.Env = append(cmd.Environ(), environment...)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = said, said, killWait
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	err := cmd.Run()
	if patient.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("it took longer than %s", e.patience)
	}
	return err //nolint:wrapcheck // the command's outcome is shown as it is
}

// maxLines bounds a line that is passed on.
const maxLines = 4096

// lines passes whole lines on, each behind a prefix.
type lines struct {
	out    io.Writer
	prefix string

	mu   sync.Mutex
	line []byte
}

// outMu keeps the lines of programs that run at the same time apart.
var outMu sync.Mutex //nolint:gochecknoglobals // standard error is one for the process, too

// Write implements io.Writer.
func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line = append(l.line, b...)
	for {
		end := bytes.IndexByte(l.line, '\n')
		if end < 0 && len(l.line) < maxLines {
			return len(b), nil
		}
		if end < 0 { // too long for one line: the rest goes on the next
			l.say(l.line[:maxLines])
			l.line = l.line[maxLines:]
			continue
		}
		l.say(l.line[:end])
		l.line = l.line[end+1:]
	}
}

// Close passes on a last line that has no line end.
func (l *lines) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.line) > 0 {
		l.say(l.line)
	}
}

func (l *lines) say(line []byte) {
	outMu.Lock()
	defer outMu.Unlock()
	fmt.Fprintf(l.out, "%s%s\n", l.prefix, line)
}

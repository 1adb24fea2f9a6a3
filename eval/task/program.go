package task

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"platen/client"
	"platen/eval/tasks"
)

// Program is a program that a task hands over broken, and that its player files repaired. It is judged by running it,
// as cron would, in a copy of the company as it was handed over.
type Program struct {
	// File is the name under which it is handed over; its template is beside the task.
	File string `json:"file"`
	// Products and Priority are its settings, Defects the names of what is broken in it, behind commas: expressions.
	Products string `json:"products"`
	Priority string `json:"priority"`
	Defects  string `json:"defects"`
	// Starts is how often it is started, Every how many working minutes lie between two starts, and Seconds how long
	// one may take.
	Starts  int   `json:"starts"`
	Every   int64 `json:"every"`
	Seconds int   `json:"seconds"`
	// Before are steps before the first start, the second, and so on: what happens that the player has not seen.
	Before [][]Step `json:"before,omitempty"`
}

// Limits of a program.
const (
	// MaxProgram bounds its text, maxOutput what one start may print, in bytes.
	MaxProgram = 64 << 10
	maxOutput  = 64 << 10
	// programField is the field of the answer that has its text.
	programField = "program"
	// mostWork bounds the work orders that the people of a trial look at: a program may order more than anybody can
	// print.
	mostWork = 40
	hour     = 60
)

// check reports what is wrong with a program.
func (p *Program) check() error {
	if p.File == "" || p.Products == "" || p.Priority == "" || p.Defects == "" {
		return errors.New("the program has no file, no settings or no defects")
	}
	if p.Starts < 1 || p.Every < 1 || p.Seconds < 1 {
		return errors.New("the program is not started, or has no time")
	}
	return nil
}

// handed is the program as a world hands it over.
func (p *Program) handed(ctx context.Context, w *world, task string) ([]byte, error) {
	products, err := w.fill(ctx, p.Products)
	priority, err2 := w.fill(ctx, p.Priority)
	defects, err3 := w.fill(ctx, p.Defects)
	if err := errors.Join(err, err2, err3); err != nil {
		return nil, err
	}
	settings := tasks.Settings{Products: products, Priority: priority}
	//nolint:wrapcheck // it says what failed
	return tasks.Program(task, p.File, settings, strings.Split(defects, ",")...)
}

// Trial is a filed program in the company in which it is judged. A runner asks Next for each start, and
// Judge for the grade when there is none any more.
type Trial struct {
	task                *Task
	baseURL, gradingKey string
	answer              []byte
	text                string
	company             *client.Sandbox
	history             *preparation
	started             int
	over                bool
	// void says why the program was not started, or not started again.
	void string
}

// Start is one start of a program: its text, and the variables of its environment.
type Start struct {
	Number      int               `json:"number"`
	Program     string            `json:"program"`
	Environment map[string]string `json:"environment"`
	Seconds     int               `json:"seconds"`
	OutputBytes int               `json:"output_bytes"`
}

// Ended is how a start ended.
type Ended struct {
	// Why says why it does not count, "" where it has ended with status 0 within its limits.
	Why string `json:"why"`
}

// Try prepares the trial of the program in an answer. It ends with End.
func (t *Task) Try(ctx context.Context, baseURL, gradingKey string, answer []byte) (*Trial, error) {
	tr := &Trial{task: t, baseURL: baseURL, gradingKey: gradingKey, answer: answer}
	filed, unread := readAnswer(answer)
	tr.text, _ = filed[programField].(string)
	switch {
	case unread != "":
		tr.void = unread
	case strings.TrimSpace(tr.text) == "":
		tr.void = "no program was filed: the answer has no text in " + programField
	case len(tr.text) > MaxProgram:
		tr.void = fmt.Sprintf("the program has %d bytes, and may have %d", len(tr.text), MaxProgram)
	}
	if tr.void != "" {
		return tr, nil
	}
	grader := client.New(baseURL, client.Keys{Grading: gradingKey}, client.MaxRetries(retries))
	handed, err := handedOver(ctx, grader)
	if err != nil {
		return nil, err
	}
	if tr.company, err = handed.fork(ctx, grader); err != nil {
		return nil, err
	}
	tr.history = &preparation{world: newWorld(tr.company, baseURL)}
	tr.history.world.named = t.drawn(handed.key)
	return tr, nil
}

// End deletes the company of a trial.
func (tr *Trial) End(ctx context.Context) error {
	if tr.company == nil {
		return nil
	}
	return remove(ctx, tr.company)
}

// Next takes how the last start has ended, nil before the first, lets the time until the next one pass, and returns
// it; nil where there is none.
func (tr *Trial) Next(ctx context.Context, ended *Ended) (*Start, error) {
	if ended != nil && ended.Why != "" && tr.void == "" {
		tr.void = fmt.Sprintf("start %d of %d of the program %s", tr.started, tr.task.Program.Starts, ended.Why)
	}
	if tr.over = tr.void != "" || tr.started == tr.task.Program.Starts; tr.over {
		return nil, nil
	}
	if tr.started > 0 {
		if err := tr.pass(ctx); err != nil {
			return nil, err
		}
	}
	if tr.started < len(tr.task.Program.Before) {
		if err := tr.history.perform(ctx, tr.task.Program.Before[tr.started]); err != nil {
			return nil, fmt.Errorf("prepare start %d: %w", tr.started+1, err)
		}
	}
	tr.started++
	return &Start{
		Number: tr.started, Program: tr.text, Seconds: tr.task.Program.Seconds, OutputBytes: maxOutput,
		Environment: map[string]string{
			"PLATEN_URL": tr.baseURL, "PLATEN_OFFICE_KEY": tr.company.OfficeKey,
			"PLATEN_FACTORY_KEY": tr.company.FactoryKey,
		},
	}, nil
}

// pass lets the time until the next start pass, hour by hour, in which people print and ship.
func (tr *Trial) pass(ctx context.Context) error {
	for rest := tr.task.Program.Every; rest > 0; rest -= hour {
		if err := tr.work(ctx); err != nil {
			return err
		}
		tick := client.TickInput{Minutes: new(min(rest, hour))}
		if _, err := tr.history.world.grader.AdvanceTime(ctx, tick); err != nil {
			return fmt.Errorf("let the time until the next start pass: %w", err)
		}
	}
	return tr.work(ctx)
}

// work prints what waits on the presses that are idle, and ships what is ready. What the Factory refuses waits.
func (tr *Trial) work(ctx context.Context) error {
	w := tr.history.world
	w.forget()
	idle, err := w.pick(ctx, "/factory/presses?status=idle")
	if err != nil {
		return err
	}
	all, err := w.pick(ctx, "/factory/work-orders?status=!shipped")
	if err != nil {
		return err
	}
	overs := int64(12)
	for _, o := range all[:min(mostWork, len(all))] {
		id, err := textOf(o, "id"), error(nil)
		switch {
		case textOf(o, "waits_for") == "press" && len(idle) > 0:
			in := client.StartPrintRunInput{PressID: textOf(idle[0], "id"), WorkOrderID: &id, OversPct: &overs}
			if _, err = w.player.StartPrintRun(ctx, in); err == nil {
				idle = idle[1:]
			}
		case textOf(o, "status") == "ready":
			_, err = w.player.CreateFactoryShipment(ctx, client.CreateFactoryShipmentInput{WorkOrderID: id})
		}
		if _, refused := errors.AsType[*client.Error](err); err != nil && !refused {
			return fmt.Errorf("print and ship: %w", err)
		}
	}
	return nil
}

// Over reports whether there is no further start.
func (tr *Trial) Over() bool { return tr.over }

// Judge grades a trial that is over. It changes nothing.
func (tr *Trial) Judge(ctx context.Context) (*Grade, error) {
	return tr.task.judge(ctx, tr.baseURL, tr.gradingKey, tr.answer, tr)
}

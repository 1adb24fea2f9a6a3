// Package harness is the door of the graded tasks for harnesses: programs that let agents
// try tasks in containers, and collect rewards.
//
// A Host runs beside the server of one prepared task. It gives the player its keys, the files
// of the task and an agent endpoint that needs no key, and grades the try for anyone with the
// token of the judge. Harbor writes tasks as folders that the harness of that name runs, with a
// Host in a container of its own.
package harness

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"platen/client"
	"platen/eval/task"
)

// Paths of a Host.
const (
	ReadyPath = "/readyz"
	TaskPath  = "/task"
	KeysPath  = TaskPath + "/keys.env"
	FilesPath = TaskPath + "/files/"
	// AnswerPath takes the answer of the player for a grade that is asked for without one.
	AnswerPath = TaskPath + "/answer"
	AgentPath  = "/mcp"
	GradePath  = "/grade"
	SolvePath  = "/solve"
	// TrialPath hands the starts of the filed program out to a runner.
	TrialPath = "/trial"
)

const (
	plainText = "text/plain"
	bearer    = "Bearer"
	// headerAuth and headerKey hold a key (contract: AUTH.X_API_KEY).
	headerAuth = "Authorization"
	headerKey  = "X-Api-Key"
	// agentAddress is the agent endpoint with the few tools that playing takes: the whole list costs a
	// player three times as much of its context.
	agentAddress = AgentPath + "?tools=play"
	// readyTime is how long a host may take to say that it is ready.
	readyTime = 5 * time.Second
	// solveTime is more than any solution takes.
	solveTime = 30 * time.Minute
)

// Host serves one prepared task: to its player, who needs no key for that, and with a token to
// who judges. It never shows the grading key or the seed, and the score to the judge alone.
type Host struct {
	Task *task.Task
	// Prepared is its sandbox, and the files that it hands to its player.
	Prepared *task.Prepared
	// Origin is where this process reaches the server, PublicURL the base URL of the API for
	// the player.
	Origin, PublicURL string
	// JudgeToken lets grade, SolutionToken lets the oracle solve the task. Nobody may where one
	// is empty.
	JudgeToken, SolutionToken string
	// RunnerToken lets a program elsewhere run the filed program of a task that asks for one. Where it is empty, a
	// filed program runs on this machine.
	RunnerToken string
	// Solver makes the try of SolvePath with the player's keys.
	Solver task.Player

	// turn is held while a try is graded or solved: a grade is of no half of a solution. It guards answer, which
	// the player has filed, and trial.
	turn   sync.Mutex
	answer []byte
	// trial is that of the filed program, nil before somebody runs it.
	trial *task.Trial
}

// Handler returns the routes of a host, or an error for an origin that is none:
//
//	GET  /readyz            text, once the task is prepared
//	GET  /task              a JSON object: the instruction, addresses, keys and names of files
//	GET  /task/keys.env     the same addresses and keys, for a shell
//	GET  /task/files/NAME   a file of the task
//	PUT  /task/answer       the answer of the player, for a grade that is asked for without one
//	     /mcp               the agent endpoint, with the player's key where a request has none
//	POST /grade             with the judge's token and the answer as body, or none for the one that
//	                        was filed: a grade, or the bare score for Accept: text/plain
//	POST /trial             with the token of the runner: the next start of the filed program, 204 where there is none
//	POST /solve             with the token of the solution: the answer of the oracle, or 204
//
// An error is a JSON object with a code and a message in error.
func (h *Host) Handler() (http.Handler, error) {
	target, err := url.Parse(h.Origin)
	if err != nil {
		return nil, fmt.Errorf("read the origin of the server: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+ReadyPath, func(w http.ResponseWriter, _ *http.Request) { writeText(w, "ready\n") })
	mux.HandleFunc("GET "+TaskPath, h.describe)
	mux.HandleFunc("GET "+KeysPath, h.keys)
	mux.HandleFunc("GET "+FilesPath+"{name...}", h.file)
	mux.HandleFunc("PUT "+AnswerPath, h.take)
	mux.Handle(AgentPath, h.agents(target))
	mux.HandleFunc("POST "+GradePath, h.only(h.JudgeToken, h.grade))
	mux.HandleFunc("POST "+TrialPath, h.only(h.RunnerToken, h.next))
	mux.HandleFunc("POST "+SolvePath, h.only(h.SolutionToken, h.solve))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, http.StatusNotFound, "not_found", "There is no "+r.Method+" "+r.URL.Path+" here.")
	})
	return mux, nil
}

// description is the task as its player gets it.
type description struct {
	Task        string   `json:"task"`
	Title       string   `json:"title"`
	Instruction string   `json:"instruction"`
	URL         string   `json:"url"`
	AgentURL    string   `json:"mcp_url"`
	OfficeKey   string   `json:"office_key"`
	FactoryKey  string   `json:"factory_key"`
	Files       []string `json:"files"`
}

func (h *Host) describe(w http.ResponseWriter, r *http.Request) {
	files := slices.Sorted(maps.Keys(h.Prepared.Files))
	if files == nil {
		files = []string{}
	}
	writeJSON(w, http.StatusOK, description{
		Task: h.Task.Name, Title: h.Task.Title, Instruction: h.Task.Assignment(), URL: h.PublicURL,
		AgentURL: agentURL(r), OfficeKey: h.Prepared.OfficeKey, FactoryKey: h.Prepared.FactoryKey, Files: files,
	})
}

// agentURL is the agent endpoint of the host, under the name by which the player knows it.
func agentURL(r *http.Request) string { return "http://" + r.Host + agentAddress }

func (h *Host) keys(w http.ResponseWriter, r *http.Request) {
	var text strings.Builder
	for _, v := range [][2]string{
		{"PLATEN_URL", h.PublicURL}, {"PLATEN_MCP_URL", agentURL(r)},
		{"PLATEN_OFFICE_KEY", h.Prepared.OfficeKey}, {"PLATEN_FACTORY_KEY", h.Prepared.FactoryKey},
	} {
		fmt.Fprintf(&text, "export %s='%s'\n", v[0], strings.ReplaceAll(v[1], "'", `'\''`))
	}
	writeText(w, text.String())
}

func (h *Host) file(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	content, ok := h.Prepared.Files[name]
	if !ok {
		refuse(w, http.StatusNotFound, "not_found", "The task has no such file; "+TaskPath+" lists those that it has.")
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	_, _ = w.Write(content) // a client that is gone needs nothing more
}

// agents hands requests on to the agent endpoint of the server. A harness that knows nothing
// but a URL sends no key: such a request gets the key of Head Office, which reaches all tools.
// Host and Origin stay as they are, since the endpoint checks both.
func (h *Host) agents(target *url.URL) http.Handler {
	proxy := &httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(target)
			p.Out.Host = p.In.Host
			if p.In.Header.Get(headerAuth) == "" && p.In.Header.Get(headerKey) == "" {
				p.Out.Header.Set(headerAuth, bearer+" "+h.Prepared.OfficeKey)
			}
		},
		// A connection that the server cuts off, as it does for a fault, is cut off here too.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The body is read first. A server closes what is left of one when the response begins, while the transport
		// may still look for its end: it would take that for a failed request and cut the response off.
		if body, ok := received(w, r); ok {
			r.Body, r.ContentLength, r.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
			proxy.ServeHTTP(w, r)
		}
	})
}

// only serves those who send a token.
func (h *Host) only(token string, next http.HandlerFunc) http.HandlerFunc {
	want := sha256.Sum256([]byte(token))
	return func(w http.ResponseWriter, r *http.Request) {
		scheme, sent, _ := strings.Cut(r.Header.Get(headerAuth), " ")
		got := sha256.Sum256([]byte(strings.TrimSpace(sent)))
		if token == "" || !strings.EqualFold(scheme, bearer) || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			w.Header().Set("Www-Authenticate", bearer)
			refuse(w, http.StatusUnauthorized, "unauthorized", "Send Authorization: Bearer with the token for "+
				r.URL.Path+".")
			return
		}
		next(w, r)
	}
}

// received reads a body: an answer, or a message of an agent. It is false once a refusal is written.
func received(w http.ResponseWriter, r *http.Request) (answer []byte, ok bool) {
	answer, err := io.ReadAll(http.MaxBytesReader(w, r.Body, task.MaxAnswer))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		refuse(w, http.StatusRequestEntityTooLarge, "body_too_large",
			fmt.Sprintf("A body has at most %d bytes here.", task.MaxAnswer))
		return nil, false
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, "unreadable", "The answer did not arrive whole.")
		return nil, false
	}
	return answer, true
}

// take keeps the player's answer, in the place of an earlier one.
func (h *Host) take(w http.ResponseWriter, r *http.Request) {
	answer, ok := received(w, r)
	if !ok {
		return
	}
	h.turn.Lock()
	defer h.turn.Unlock()
	h.answer = answer
	w.WriteHeader(http.StatusNoContent)
}

func (h *Host) grade(w http.ResponseWriter, r *http.Request) {
	answer, ok := received(w, r)
	if !ok {
		return
	}
	h.turn.Lock()
	defer h.turn.Unlock()
	if len(answer) == 0 {
		answer = h.answer
	}
	if h.elsewhere() && (h.trial == nil || !h.trial.Over()) {
		refuse(w, http.StatusConflict, "not_run", "The filed program has not been run to its end: POST "+TrialPath+".")
		return
	}
	g, err := h.judge(r.Context(), answer)
	if err != nil {
		refuse(w, http.StatusBadGateway, "not_graded", "The try could not be graded: "+err.Error())
		return
	}
	if strings.Contains(r.Header.Get("Accept"), plainText) {
		writeText(w, strconv.FormatFloat(g.Score, 'f', -1, 64)+"\n")
		return
	}
	writeJSON(w, http.StatusOK, g)
}

// elsewhere reports whether somebody else runs the program that the task asks for.
func (h *Host) elsewhere() bool { return h.Task.Program != nil && h.RunnerToken != "" }

// judge grades the try for who holds the turn.
func (h *Host) judge(ctx context.Context, answer []byte) (*task.Grade, error) {
	if h.elsewhere() {
		return h.trial.Judge(ctx) //nolint:wrapcheck // it says what failed
	}
	//nolint:wrapcheck // it says what failed
	return h.Task.Judge(ctx, h.Origin+client.BasePath, h.Prepared.GradingKey, answer)
}

// next hands out a start of the filed program. A body says how the last one has ended; one without begins anew.
func (h *Host) next(w http.ResponseWriter, r *http.Request) {
	body, ok := received(w, r)
	if !ok {
		return
	}
	var ended *task.Ended
	if len(body) > 0 {
		ended = &task.Ended{}
		if err := json.Unmarshal(body, ended); err != nil {
			refuse(w, http.StatusBadRequest, "invalid_json", "The body says how the last start has ended, in why.")
			return
		}
	}
	h.turn.Lock()
	defer h.turn.Unlock()
	ctx := context.WithoutCancel(r.Context())
	if h.Task.Program == nil || ended != nil && h.trial == nil {
		refuse(w, http.StatusConflict, "no_program", "No program was started here.")
		return
	}
	start, err := h.start(ctx, ended)
	switch {
	case err != nil:
		refuse(w, http.StatusBadGateway, "not_started", "The program could not be started: "+err.Error())
	case start == nil:
		w.WriteHeader(http.StatusNoContent)
	default:
		start.Environment["PLATEN_URL"] = h.PublicURL
		writeJSON(w, http.StatusOK, start)
	}
}

// start begins a trial where no start has ended, and returns its next start.
func (h *Host) start(ctx context.Context, ended *task.Ended) (*task.Start, error) {
	if ended == nil {
		trial, err := h.Task.Try(ctx, h.Origin+client.BasePath, h.Prepared.GradingKey, h.answer)
		if err != nil {
			return nil, err //nolint:wrapcheck // it says what failed
		}
		if h.trial != nil {
			err = h.trial.End(ctx)
		}
		if h.trial = trial; err != nil {
			return nil, err //nolint:wrapcheck // it says what failed
		}
	}
	return h.trial.Next(ctx, ended) //nolint:wrapcheck // it says what failed
}

func (h *Host) solve(w http.ResponseWriter, r *http.Request) {
	h.turn.Lock()
	defer h.turn.Unlock()
	// Half a solution helps nobody: it goes on when its client has gone.
	answer, err := h.Solver(context.WithoutCancel(r.Context()), h.Task, h.Prepared, h.Origin+client.BasePath)
	switch {
	case err != nil:
		refuse(w, http.StatusBadGateway, "not_solved", "The oracle did not solve the task: "+err.Error())
	case len(answer) == 0:
		w.WriteHeader(http.StatusNoContent)
	default:
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer) // a client that is gone needs nothing more
	}
}

// Collect has the host at an origin grade the try, and leaves the bare score and the grade as score.txt and grade.json
// in a folder. It writes neither unless it has both.
func Collect(ctx context.Context, origin, token, folder string) error {
	c := &http.Client{Timeout: gradeTime}
	var parts [2][]byte
	for i, accepted := range []string{plainText, "application/json"} {
		judge := strings.TrimRight(origin, "/") + GradePath
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, judge, http.NoBody)
		if err != nil {
			return fmt.Errorf("make the request: %w", err)
		}
		r.Header.Set("Accept", accepted)
		r.Header.Set(headerAuth, bearer+" "+token)
		response, err := c.Do(r)
		if err != nil {
			return fmt.Errorf("ask for the grade: %w", err)
		}
		parts[i], err = io.ReadAll(response.Body)
		if err := errors.Join(err, response.Body.Close()); err != nil {
			return fmt.Errorf("read the grade: %w", err)
		}
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("the judge responds with status %d: %s", response.StatusCode, parts[i])
		}
	}
	for i, name := range []string{"score.txt", "grade.json"} {
		if err := os.WriteFile(filepath.Join(folder, name), parts[i], modeFile); err != nil {
			return fmt.Errorf("leave the grade: %w", err)
		}
	}
	return nil
}

// Solve has the host at an origin solve its task, with the token of the solution, and returns the answer to file, empty
// for none.
func Solve(ctx context.Context, origin, token string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(origin, "/")+SolvePath, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	r.Header.Set(headerAuth, bearer+" "+token)
	c := &http.Client{Timeout: solveTime}
	response, err := c.Do(r)
	if err != nil {
		return nil, fmt.Errorf("ask for the solution: %w", err)
	}
	answer, err := io.ReadAll(io.LimitReader(response.Body, task.MaxAnswer))
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	switch response.StatusCode {
	case http.StatusOK:
		return answer, nil
	case http.StatusNoContent:
		return nil, nil
	}
	return nil, fmt.Errorf("the host responds with status %d: %s", response.StatusCode, answer)
}

// Ready fails unless a host at an origin is there, which it is once its task is prepared.
func Ready(ctx context.Context, origin string) error {
	c := &http.Client{Timeout: readyTime}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(origin, "/")+ReadyPath, http.NoBody)
	if err != nil {
		return fmt.Errorf("make the request: %w", err)
	}
	response, err := c.Do(r)
	if err != nil {
		return fmt.Errorf("the task is not prepared: %w", err)
	}
	if err := response.Body.Close(); err != nil {
		return fmt.Errorf("read the response: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s is not ready: it responds with status %d", origin, response.StatusCode)
	}
	return nil
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	writeJSON(w, status, map[string]any{"error": map[string]string{"code": code, "message": message}})
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // a client that is gone needs nothing more
}

func writeText(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", plainText+"; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = io.WriteString(w, text) // a client that is gone needs nothing more
}

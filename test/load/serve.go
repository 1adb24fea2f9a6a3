package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"platen/internal/api"
	"platen/internal/config"
	"platen/internal/operation"
	"platen/internal/server"
	"platen/internal/store"
	"platen/internal/store/sqlite"
)

const headerTime = 10 * time.Second

// address is what a server says first.
type address struct {
	Address string `json:"address"`
}

// usage is the answer to "cpu".
type usage struct {
	Nanos int64 `json:"nanos"`
}

func answerUsage(string) (any, error) {
	used, err := cpuTime()
	return usage{Nanos: int64(used)}, err
}

// servePlaten is a whole server over the database that prepare made, as
// `platen serve` runs it, with its limits off.
func servePlaten(ctx context.Context, p *parent, args []string) error {
	c := config.Default()
	c.Listen, c.Database = "127.0.0.1:0", args[0]
	return p.serve(ctx, c, func(*server.Server) answers { return answers{"cpu": answerUsage} })
}

// answers are what a child says to questions, by their first word.
type answers map[string]func(rest string) (any, error)

// serve is a whole server without limits for its clients. It says its address, and
// then answers questions.
func (p *parent) serve(ctx context.Context, c *config.Config, about func(*server.Server) answers) error {
	c.IPActive, c.IPCreations, c.KeyRate, c.IPRate, c.AnonymousRate = 0, 0, 0, 0, 0
	s, err := server.New(ctx, c, slog.New(slog.DiscardHandler))
	if err != nil {
		return fmt.Errorf("make server: %w", err)
	}
	if err = s.Start(ctx); err == nil {
		err = p.say(address{s.Addr().String()})
	}
	if err == nil {
		err = p.listen(about(s))
	}
	return errors.Join(err, s.Stop(ctx))
}

// recorded is an answer of Platen, for the bare handler to give again.
type recorded struct {
	Header http.Header `json:"header"`
	Body   []byte      `json:"body"`
}

// serveBare answers everything with one recorded answer: what net/http itself
// costs. Its headers are made once.
func serveBare(ctx context.Context, p *parent, args []string) error {
	file, err := os.ReadFile(args[0])
	if err != nil {
		return fmt.Errorf("read the recorded answer: %w", err)
	}
	var answer recorded
	if err := json.Unmarshal(file, &answer); err != nil {
		return fmt.Errorf("read the recorded answer: %w", err)
	}
	answer.Header.Del("Date") // net/http writes it
	type header struct {
		name   string
		values []string
	}
	var headers []header
	for name, values := range answer.Header {
		headers = append(headers, header{name, values})
	}
	return listenAndAnswer(ctx, p, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		for i := range headers {
			h[headers[i].name] = headers[i].values
		}
		w.WriteHeader(http.StatusOK)
		w.Write(answer.Body)
	}), nil)
}

// serveDurable is the API over a database.
func serveDurable(ctx context.Context, p *parent, args []string) error {
	db, err := sqlite.Open(ctx, args[0])
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	return errors.Join(serveStore(ctx, p, db), db.Close())
}

// serveForgetful is the same API over a store that writes nothing.
func serveForgetful(ctx context.Context, p *parent, _ []string) error {
	return serveStore(ctx, p, newForgetful())
}

// serveStore serves the API over a store. "sandboxes n" makes n of them and
// answers with the keys of their Factories.
func serveStore(ctx context.Context, p *parent, s store.Store) error {
	estate, err := newEstate(s)
	if err != nil {
		return err
	}
	handler, err := api.New(api.Options{
		Registry: estate.registry, Origin: "http://localhost", Log: slog.New(slog.DiscardHandler),
	}, operation.Table())
	if err != nil {
		return fmt.Errorf("build the API: %w", err)
	}
	seed := int64(0)
	return listenAndAnswer(ctx, p, handler,
		map[string]func(string) (any, error){"sandboxes": func(count string) (any, error) {
			n, err := strconv.Atoi(count)
			if err != nil {
				return nil, fmt.Errorf("count sandboxes: %w", err)
			}
			keys := make([]string, n)
			for i := range keys {
				seed++
				tenant, err := estate.settle(ctx, seed)
				if err != nil {
					return nil, err
				}
				keys[i] = tenant.FactoryKey
			}
			return keys, nil
		}})
}

// listenAndAnswer serves a handler on loopback until there are no more
// questions.
func listenAndAnswer(ctx context.Context, p *parent, handler http.Handler,
	answers map[string]func(string) (any, error)) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	s := &http.Server{Handler: handler, ReadHeaderTimeout: headerTime}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(listener) }()
	err = p.say(address{listener.Addr().String()})
	if err == nil {
		all := map[string]func(string) (any, error){"cpu": answerUsage}
		maps.Copy(all, answers)
		err = p.listen(all)
	}
	err = errors.Join(err, s.Close())
	if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime/coverage"
	"strings"
	"time"

	"platen/internal/config"
	"platen/internal/server"
)

const (
	// restTime is how long counters run on after an answer, so that the work which
	// a request leaves behind is counted in every sample or in none. It is also the
	// length of the samples without a request.
	restTime    = 200 * time.Millisecond
	callTimeout = 30 * time.Second
	stopTime    = 10 * time.Second
	// warmups is how often a request is made before it is counted, so that what is
	// loaded or compiled once does not count.
	warmups = 3
	// maxDays is how many days may pass until enough orders have come in. The
	// server lets a day pass at once, and one a second.
	maxDays    = 30
	dayMinutes = 480
	tickTime   = 1100 * time.Millisecond
)

// serveCounted starts a server over a new database, calls it, and leaves the
// counters of each sample in a folder. It runs in the program with counters.
func serveCounted(ctx context.Context, dir string) error {
	c := config.Default()
	c.Listen, c.Database = "127.0.0.1:0", filepath.Join(dir, "platen.db")
	c.IPActive, c.IPCreations, c.KeyRate, c.IPRate, c.AnonymousRate = 0, 0, 0, 0, 0
	s, err := server.New(ctx, c, slog.New(slog.DiscardHandler))
	if err != nil {
		return fmt.Errorf("make server: %w", err)
	}
	if err = s.Start(ctx); err == nil {
		err = (&caller{base: s.BaseURL(), dir: dir, http: &http.Client{Timeout: callTimeout}}).work(ctx)
	}
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	return errors.Join(err, s.Stop(late))
}

// caller calls the server as a program in another process would.
type caller struct {
	base, key, dir string
	http           *http.Client
}

func (c *caller) work(ctx context.Context) error {
	orders, err := c.prepare(ctx)
	if err != nil {
		return err
	}
	for i := range warmups + samples {
		for _, r := range routes {
			request := func() error {
				return c.call(ctx, nil, r.method, strings.ReplaceAll(r.path, "{id}", orders[i]), "")
			}
			if i < warmups {
				err = request()
			} else {
				err = c.sample(ctx, sampleFolder(c.dir, r.label, i-warmups), request)
			}
			if err != nil {
				return err
			}
		}
	}
	for i := range samples {
		if err := c.sample(ctx, sampleFolder(c.dir, idle, i), func() error { return nil }); err != nil {
			return err
		}
	}
	return nil
}

// prepare creates a company and lets time pass until as many orders wait for
// an answer as are going to be accepted.
func (c *caller) prepare(ctx context.Context) ([]string, error) {
	var sandbox struct {
		Data struct {
			OfficeKey string `json:"office_key"`
		} `json:"data"`
	}
	if err := c.call(ctx, &sandbox, http.MethodPost, "/sandboxes", `{"clock":"manual","seed":1}`); err != nil {
		return nil, err
	}
	c.key = sandbox.Data.OfficeKey
	var list struct {
		Data struct {
			Items []struct {
				ID string `json:"id"`
			} `json:"items"`
		} `json:"data"`
	}
	for range maxDays {
		if err := c.call(ctx, &list, http.MethodGet, "/office/sales-orders?status=received", ""); err != nil {
			return nil, err
		}
		if len(list.Data.Items) >= warmups+samples {
			var ids []string
			for i := range list.Data.Items {
				ids = append(ids, list.Data.Items[i].ID)
			}
			return ids, nil
		}
		if err := c.call(ctx, nil, http.MethodPost, "/sandbox/tick",
			fmt.Sprintf(`{"minutes":%d}`, dayMinutes)); err != nil {
			return nil, err
		}
		if err := wait(ctx, tickTime); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("after %d days fewer than %d orders wait for an answer", maxDays, warmups+samples)
}

// sample counts the code that runs during one request and shortly after it.
func (*caller) sample(ctx context.Context, folder string, request func() error) error {
	if err := os.Mkdir(folder, 0o700); err != nil {
		return fmt.Errorf("make a folder for counters: %w", err)
	}
	if err := wait(ctx, restTime); err != nil {
		return err
	}
	if err := coverage.ClearCounters(); err != nil {
		return fmt.Errorf("clear counters: %w", err)
	}
	if err := errors.Join(request(), wait(ctx, restTime)); err != nil {
		return err
	}
	if err := errors.Join(coverage.WriteCountersDir(folder), coverage.WriteMetaDir(folder)); err != nil {
		return fmt.Errorf("write counters: %w", err)
	}
	return nil
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait: %w", ctx.Err())
	}
}

func (c *caller) call(ctx context.Context, answer any, method, path, body string) error {
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return fmt.Errorf("make a request: %w", err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.key != "" {
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	response, err := c.http.Do(r)
	if err != nil {
		return fmt.Errorf("call: %w", err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("read an answer: %w", err)
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s: %d %s", method, path, response.StatusCode, raw)
	}
	if answer == nil {
		return nil
	}
	if err := json.Unmarshal(raw, answer); err != nil {
		return fmt.Errorf("read an answer: %w", err)
	}
	return nil
}

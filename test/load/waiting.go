package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"platen/internal/config"
	"platen/internal/server"
)

const (
	// waitingPolls is how many connections wait for events at once, two to a
	// key.
	waitingPolls     = 5000
	pollsPerSandbox  = 4
	waitingSandboxes = waitingPolls / pollsPerSandbox
	// waitingSettle is how long the server has to take all polls in.
	waitingSettle = 20 * time.Second
	creationBody  = `{"clock":"manual"}`
	dialers       = 32
)

// waitingMemory is what a server holds.
type waitingMemory struct {
	// Bytes are those of the heap and of stacks, Resident what the system says.
	Bytes    float64 `json:"bytes"`
	Resident float64 `json:"resident"`
	Waiting  int     `json:"waiting"`
}

// serveWaiting is a whole server with room for the waiting.
func serveWaiting(ctx context.Context, p *parent, args []string) error {
	c := config.Default()
	c.Listen, c.Database, c.MaxSandboxes = "127.0.0.1:0", args[0], 2*waitingSandboxes
	return p.serve(ctx, c, func(s *server.Server) answers {
		return answers{"memory": func(string) (any, error) {
			heapBytes() // lets go of the connections of the round before
			heap := heapBytes()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			_, own, err := residentBytes(os.Getpid())
			return waitingMemory{Bytes: heap + float64(m.StackInuse), Resident: own, Waiting: s.Waiting()}, err
		}}
	})
}

// measureWaiting lets connections wait, and then lets something happen.
func measureWaiting(ctx context.Context, b *bench) (figures []figure, err error) {
	var at address
	platen, err := b.spawn(ctx, &at, "waiting", filepath.Join(b.dir, "waiting.db"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, platen.close()) }()
	keys, err := waitingKeys(ctx, at.Address)
	if err != nil {
		return nil, err
	}
	var before, during waitingMemory
	var held, resident, late []float64
	for range rounds {
		if err := platen.ask(&before, "memory"); err != nil {
			return nil, err
		}
		crowd, err := join(ctx, at.Address, keys, waitingPolls, poll)
		if err != nil {
			return nil, err
		}
		if err := settled(ctx, platen, &during); err != nil {
			return nil, errors.Join(err, crowd.leave())
		}
		held = append(held, (during.Bytes-before.Bytes)/waitingPolls)
		resident = append(resident, (during.Resident-before.Resident)/waitingPolls)
		delays, err := crowd.wake(ctx)
		late = append(late, delays...)
		if err = errors.Join(err, crowd.leave()); err != nil {
			return nil, err
		}
	}
	return []figure{
		{
			name: "memory of a waiting poll", samples: held, unit: kilobytes, least: 15e3, aim: 5e3, smaller: true,
			note: fmt.Sprintf("heap and stacks, %d connections; of the process's own pages %s",
				waitingPolls, kilobytes(median(resident))),
		},
		{
			name: "a commit to the answer of a waiting poll", samples: late, unit: millis, least: 5e-3,
			aim: 2e-3, smaller: true,
			note: fmt.Sprintf("from the answer of the write, while the other %d wait", waitingPolls-1),
		},
	}, nil
}

// waitingKeys creates the sandboxes and returns their keys, two for each.
func waitingKeys(ctx context.Context, address string) ([]string, error) {
	keys := make([]string, 2*waitingSandboxes)
	places := make(chan struct{}, dialers)
	var creating sync.WaitGroup
	errs := make([]error, waitingSandboxes)
	for i := range waitingSandboxes {
		places <- struct{}{}
		creating.Go(func() {
			defer func() { <-places }()
			var made struct {
				OfficeKey  string `json:"office_key"`
				FactoryKey string `json:"factory_key"`
			}
			errs[i] = call(ctx, "http://"+address+"/v1/sandboxes", "", creationBody, &made)
			keys[2*i], keys[2*i+1] = made.OfficeKey, made.FactoryKey
			for _, read := range []struct{ path, key string }{
				{"/office/cash", made.OfficeKey}, {"/factory/stock", made.FactoryKey},
			} {
				if errs[i] == nil { // both complete missions: nothing else does
					errs[i] = call(ctx, "http://"+address+"/v1"+read.path, read.key, "", nil)
				}
			}
		})
	}
	creating.Wait()
	return keys, errors.Join(errs...)
}

// call sends a request, a POST when it has a body, and reads the data of its
// answer.
func call(ctx context.Context, url, key, body string, data any) error {
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewBufferString(body))
	if err != nil {
		return err //nolint:wrapcheck // our own URL
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Idempotency-Key", rand.Text())
	answer, err := (&http.Client{Timeout: patience}).Do(r)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode >= http.StatusBadRequest {
		return errors.Join(fmt.Errorf("%s answered %d %s", method, answer.StatusCode, raw), err)
	}
	if data == nil {
		return nil
	}
	if err := json.Unmarshal(raw, &struct{ Data any }{data}); err != nil {
		return fmt.Errorf("read an answer: %w", err)
	}
	return nil
}

// crowd is connections that wait.
type crowd struct {
	address string
	keys    []string
	members []net.Conn
}

// join opens some connections, each with a key, and lets a function begin what they
// wait in.
func join(
	ctx context.Context, address string, keys []string, n int, begin func(context.Context, net.Conn, string) error,
) (*crowd, error) {
	c := &crowd{address: address, keys: keys, members: make([]net.Conn, n)}
	places := make(chan struct{}, dialers)
	errs := make([]error, n)
	var joining sync.WaitGroup
	for i := range c.members {
		places <- struct{}{}
		joining.Go(func() {
			defer func() { <-places }()
			if c.members[i], errs[i] = (&net.Dialer{}).DialContext(ctx, "tcp", address); errs[i] == nil {
				errs[i] = begin(ctx, c.members[i], keys[i%len(keys)])
			}
		})
	}
	joining.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, errors.Join(err, c.leave())
	}
	return c, nil
}

// poll sends a poll that begins beyond the last event, so that nothing but a new one
// answers it.
func poll(ctx context.Context, c net.Conn, key string) error {
	var feed struct {
		LastSeq uint64 `json:"last_seq"`
	}
	host := c.RemoteAddr().String()
	if err := call(ctx, "http://"+host+"/v1/events?limit=1", key, "", &feed); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(c, "GET /v1/events/poll?after_seq=%d&wait_s=25 HTTP/1.1\r\n"+
		"Host: %s\r\nAuthorization: Bearer %s\r\n\r\n", feed.LastSeq, host, key); err != nil {
		return fmt.Errorf("poll: %w", err)
	}
	return nil
}

// settled waits until all polls wait.
func settled(ctx context.Context, platen *child, memory *waitingMemory) error {
	for end := time.Now().Add(waitingSettle); time.Now().Before(end) && ctx.Err() == nil; {
		if err := platen.ask(memory, "memory"); err != nil {
			return err
		}
		if memory.Waiting == waitingPolls {
			return nil
		}
	}
	return fmt.Errorf("%d of %d polls wait", memory.Waiting, waitingPolls)
}

// wake writes to some sandboxes and returns how long after the answer of the
// write a poll was answered, in seconds.
func (c *crowd) wake(ctx context.Context) ([]float64, error) {
	const woken = 20
	var delays []float64
	for n := range woken {
		i := 2*n + 1 // a Factory key
		answered := make(chan time.Time, 1)
		go func() {
			_, _ = c.members[i].Read(make([]byte, 1))
			answered <- time.Now()
		}()
		if err := call(ctx, "http://"+c.address+"/v1/factory/work-orders", c.keys[i], postBody, nil); err != nil {
			return nil, err
		}
		wrote := time.Now()
		select {
		case at := <-answered:
			delays = append(delays, max(0, at.Sub(wrote).Seconds()))
		case <-ctx.Done():
			return nil, ctx.Err() //nolint:wrapcheck // ends the program
		}
	}
	return delays, nil
}

func (c *crowd) leave() error {
	for _, member := range c.members {
		if member != nil {
			member.Close()
		}
	}
	return nil
}

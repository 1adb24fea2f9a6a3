package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"platen/internal/config"
	"platen/internal/server"
	"platen/internal/store"
	"platen/internal/store/postgres"
	"platen/internal/store/postgres/postgrestest"
)

const (
	sizingSandboxes = 300
	// sizingDay is a day of the company in its minutes, which a clock in real time takes a
	// minute for: sizingLease of them pass in a lease.
	sizingDay    = 8 * 60
	sizingDays   = 3
	sizingLease  = 30
	sizingLength = time.Second
	sizingBouts  = 5
	// sizingWakes is how many polls are woken, sizingCommitters how many commit at once
	// in all processes together.
	sizingWakes      = 100
	sizingCommitters = 48
	// sizingMany is the number of sandboxes that the last lines are about, sizingHot how
	// many of them are used at a time, in a hundred.
	sizingMany = 100_000
	sizingHot  = 5
)

// sizes is what the servers of one database came to, by their number.
type sizes struct {
	lists, posts, commits, raw []float64
}

// sizing measures what an operator wants to know before there are several servers: what
// one more of them brings, what a hop costs, and what a sandbox takes.
func sizing(ctx context.Context, b *bench, out io.Writer) error {
	database, err := postgrestest.Start()
	if err != nil {
		return fmt.Errorf("start PostgreSQL: %w", err)
	}
	defer database.Stop()
	f := &fleet{bench: b, dsn: postgrestest.URL(database.Directory())}
	defer func() {
		for _, n := range f.servers {
			_ = n.close()
		}
	}()
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table,
		"servers\tlists of 50, a second\twrites, a second\tcommits, a second\traw inserts of the same bytes")
	for count := 1; count <= 3; count++ {
		if err := f.add(ctx); err != nil {
			return err
		}
		if count == 1 {
			if err := f.settle(ctx, sizingSandboxes); err != nil {
				return err
			}
		}
		s, err := f.measure(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintf(table, "%d\t%.0f\t%.0f\t%.0f\t%.0f\n", count, median(s.lists), median(s.posts), median(s.commits),
			median(s.raw))
		b.say("%d servers", count)
	}
	if err := table.Flush(); err != nil {
		return err //nolint:wrapcheck // it is the output's
	}
	if err := f.hops(ctx, out); err != nil {
		return err
	}
	return f.weigh(ctx, out)
}

// fleet is some servers on one database.
type fleet struct {
	bench     *bench
	dsn       string
	servers   []*child
	addresses []string
	// offices are the keys of sandboxes, factories those of the same for the Factory.
	offices, factories []string
	// posts counts writes, so that each has a key of its own.
	posts int
	// bytes is what a sandbox takes of the database when it is new, day what each day adds.
	bytes, day float64
	// empty is what a server takes before there is anything.
	empty resident
}

// add starts one more server.
func (f *fleet) add(ctx context.Context) error {
	var at address
	c, err := f.bench.spawn(ctx, &at, "node", f.dsn)
	if err != nil {
		return err
	}
	f.servers, f.addresses = append(f.servers, c), append(f.addresses, at.Address)
	if len(f.servers) == 1 {
		return c.ask(&f.empty, "memory")
	}
	return nil
}

// serveNode is one of several servers on one database.
func serveNode(ctx context.Context, p *parent, args []string) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("find an address: %w", err)
	}
	c := config.Default()
	c.Listen, c.Database, c.NodeAddress = "127.0.0.1:0", args[0], l.Addr().String()
	c.PublicURL, c.SecretKey = "http://platen.test", strings.Repeat("k", config.SecretLeast)
	c.TickPause, c.MaxSandboxes = 0, 1<<20
	l.Close()
	return p.serve(ctx, c, func(s *server.Server) answers {
		return answers{"memory": func(string) (any, error) {
			_, own, err := residentBytes(os.Getpid())
			return resident{All: own, Companies: float64(s.Memory().Companies)}, err
		}}
	})
}

// settle makes sandboxes and lets some days pass in each.
func (f *fleet) settle(ctx context.Context, count int) error {
	before, err := f.databaseBytes(ctx)
	if err != nil {
		return err
	}
	f.offices, f.factories = make([]string, count), make([]string, count)
	base := "http://" + f.addresses[0] + "/v1"
	if err := together(count, func(i int) error {
		var made struct {
			OfficeKey  string `json:"office_key"`
			FactoryKey string `json:"factory_key"`
		}
		err := call(ctx, base+"/sandboxes", "", creationBody, &made)
		f.offices[i], f.factories[i] = made.OfficeKey, made.FactoryKey
		return err
	}); err != nil {
		return err
	}
	created, err := f.databaseBytes(ctx)
	if err != nil {
		return err
	}
	// Its clock moves with whoever looks at it: here once in five seconds of real time.
	const steps = 12
	if err := together(count, func(i int) error {
		for range sizingDays * steps {
			body := fmt.Sprintf(`{"minutes":%d}`, sizingDay/steps)
			if err := call(ctx, base+"/sandbox/tick", f.offices[i], body, nil); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	lived, err := f.databaseBytes(ctx)
	f.bytes, f.day = (created-before)/float64(count), (lived-created)/float64(count)/sizingDays
	return err
}

// databaseBytes is the size of the database with its indexes.
func (f *fleet) databaseBytes(ctx context.Context) (float64, error) {
	table, err := postgrestest.Connect(ctx, f.dsn)
	if err != nil {
		return 0, fmt.Errorf("connect: %w", err)
	}
	defer table.Close(ctx)
	return table.DatabaseBytes(ctx) //nolint:wrapcheck // ends the program
}

// measure has all servers work at once.
func (f *fleet) measure(ctx context.Context) (s sizes, err error) {
	for range sizingBouts {
		lists, err := f.hammer(ctx, http.StatusOK, func(server, connection, n int) []byte {
			return fmt.Appendf(nil, "GET /v1/office/sales-orders?limit=50 HTTP/1.1\r\nHost: %s\r\n"+
				"Authorization: Bearer %s\r\n\r\n", f.addresses[server], f.anyOf(f.offices, connection, n))
		})
		if err != nil {
			return s, err
		}
		f.posts++
		posts, err := f.hammer(ctx, http.StatusCreated, func(server, connection, n int) []byte {
			return fmt.Appendf(nil, "POST /v1/factory/work-orders HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"+
				"Content-Type: application/json\r\nContent-Length: %d\r\nIdempotency-Key: %d-%d-%d-%d\r\n\r\n%s",
				f.addresses[server], f.anyOf(f.factories, connection, n), len(postBody), f.posts, server, connection, n,
				postBody)
		})
		if err != nil {
			return s, err
		}
		commits, raw, err := f.commits(ctx)
		if err != nil {
			return s, err
		}
		s.lists, s.posts = append(s.lists, lists), append(s.posts, posts)
		s.commits, s.raw = append(s.commits, commits), append(s.raw, raw)
	}
	return s, nil
}

// anyOf is a key far from that of the request before.
func (f *fleet) anyOf(keys []string, connection, n int) string {
	const stride, apart = 7919, 104_729 // primes
	return keys[(connection*apart+n*stride)%len(keys)]
}

// hammer returns how many requests all servers answer in a second, each its share of the
// connections, for any sandbox: with several servers most arrive where it is not owned.
func (f *fleet) hammer(
	ctx context.Context, status int, request func(server, connection, n int) []byte,
) (float64, error) {
	rates, errs := make([]float64, len(f.servers)), make([]error, len(f.servers))
	var running sync.WaitGroup
	for i, at := range f.addresses {
		h := &hammer{
			address: at, connections: growthClients / len(f.servers), status: status,
			request: func(connection, n int) []byte { return request(i, connection*len(f.servers)+i, n) },
		}
		running.Go(func() {
			t, err := h.run(ctx, sizingLength)
			rates[i], errs[i] = t.rate(), err
		})
	}
	running.Wait()
	sum := 0.0
	for _, r := range rates {
		sum += r
	}
	return sum, errors.Join(errs...)
}

// commits returns how many commits the storages of all servers make in a second, and how
// many rows of the same bytes go into a plain table, from as many connections and as many
// in one statement.
func (f *fleet) commits(ctx context.Context) (ours, raw float64, err error) {
	each := sizingCommitters / len(f.servers)
	stores := make([]*postgres.Store, len(f.servers))
	for i := range stores {
		if stores[i], err = postgres.OpenShared(ctx, f.dsn); err != nil {
			return 0, 0, fmt.Errorf("open database: %w", err)
		}
		defer stores[i].Close() //nolint:revive // three at most
	}
	f.posts++
	versions, body := make([]uint64, sizingCommitters), make([]byte, commitBytes)
	commit := func(i int) error {
		versions[i]++
		c := store.Commit{SandboxID: fmt.Sprintf("s%d-%d", f.posts, i), Version: versions[i], Body: body}
		if c.Version == 1 {
			c.Header = &store.Sandbox{ID: c.SandboxID, DeleteAt: time.Now().Add(time.Hour).UTC()}
			c.Header.WakeAt = c.Header.DeleteAt
		}
		return stores[i/each].Commit(ctx, c) //nolint:wrapcheck // ends the program
	}
	for i := range each * len(stores) {
		if err := commit(i); err != nil {
			return 0, 0, fmt.Errorf("create sandbox: %w", err)
		}
	}
	if ours, err = commitRate(each*len(stores), commit); err != nil {
		return 0, 0, err
	}
	raw, err = f.raw(ctx, each)
	return ours, raw, err
}

// raw inserts rows into a plain table, as many a statement as there are committers.
func (f *fleet) raw(ctx context.Context, each int) (float64, error) {
	tables := make([]*postgrestest.Table, len(f.servers))
	for i := range tables {
		var err error
		if tables[i], err = postgrestest.Connect(ctx, f.dsn); err != nil {
			return 0, fmt.Errorf("connect: %w", err)
		}
		defer tables[i].Close(ctx) //nolint:revive // three at most
	}
	bodies := make([][]byte, each)
	for i := range bodies {
		bodies[i] = make([]byte, commitBytes)
	}
	rate, err := commitRate(len(tables), func(i int) error {
		return tables[i].Insert(ctx, bodies) //nolint:wrapcheck // ends the program
	})
	return rate * float64(each), err
}

// hops compares requests at the owner of their sandboxes with the same through another
// server, one after another.
func (f *fleet) hops(ctx context.Context, out io.Writer) error {
	// Whoever is asked first owns a sandbox that is new.
	var made struct {
		OfficeKey string `json:"office_key"`
	}
	if err := call(ctx, "http://"+f.addresses[0]+"/v1/sandboxes", "", creationBody, &made); err != nil {
		return err
	}
	owner, elsewhere := "http://"+f.addresses[1]+"/v1", "http://"+f.addresses[2]+"/v1"
	var newest struct {
		LastSeq int `json:"last_seq"`
	}
	if err := call(ctx, owner+"/sandbox", made.OfficeKey, "", nil); err != nil {
		return err
	}
	for _, way := range []struct{ name, address string }{
		{"at the owner", f.addresses[1]}, {"through another server", f.addresses[2]},
	} {
		var took []float64
		last := time.Now()
		h := &hammer{address: way.address, connections: 1, status: http.StatusOK, request: func(_, n int) []byte {
			now := time.Now()
			if n > 1 {
				took = append(took, now.Sub(last).Seconds())
			}
			last = now
			return fmt.Appendf(nil, "GET /v1/office/cash HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n",
				way.address, made.OfficeKey)
		}}
		if _, err := h.run(ctx, sizingLength); err != nil {
			return err
		}
		fmt.Fprintf(out, "one request %s: median %s, p99 %s\n", way.name, millis(median(took)),
			millis(percentile(took, 99)))
	}
	var woken []float64
	for range sizingWakes {
		if err := call(ctx, owner+"/sandbox", made.OfficeKey, "", &newest); err != nil {
			return err
		}
		landed := make(chan time.Time, 1)
		failed := make(chan error, 1)
		go func() {
			poll := elsewhere + "/events/poll?wait_s=20&after_seq=" + strconv.Itoa(newest.LastSeq)
			failed <- call(ctx, poll, made.OfficeKey, "", nil)
			landed <- time.Now()
		}()
		<-time.After(2 * time.Millisecond) // most of them wait by then; those that do not show less
		if err := call(ctx, owner+"/sandbox/tick", made.OfficeKey, `{"minutes":480}`, nil); err != nil {
			return err
		}
		done := time.Now()
		if err := <-failed; err != nil {
			return err
		}
		woken = append(woken, max(0, (<-landed).Sub(done).Seconds()))
	}
	fmt.Fprintf(out, "a poll at another server, after the answer of the write that wakes it: median %s, p99 %s\n",
		millis(median(woken)), millis(percentile(woken, 99)))
	return nil
}

// weigh says what sandboxes take, and what many of them would.
func (f *fleet) weigh(ctx context.Context, out io.Writer) error {
	var all resident
	var companies, bytes float64
	for _, c := range f.servers {
		if err := c.ask(&all, "memory"); err != nil {
			return err
		}
		companies, bytes = companies+all.Companies, bytes+all.All-f.empty.All
	}
	hot := bytes / companies
	scheduled, err := measureScheduled(ctx, f.bench)
	if err != nil {
		return err
	}
	asleep := median(scheduled[0].samples)
	fmt.Fprintf(out, "memory: a server without sandboxes %s, a sandbox in memory after %d days %s, one that nobody "+
		"uses %s\n", megabytes(f.empty.All), sizingDays, kilobytes(hot), kilobytes(asleep))
	lease := f.bytes + sizingLease*f.day
	fmt.Fprintf(out, "database: a new sandbox %s, each of its days %s more, an hour in real time with a client %s\n",
		kilobytes(f.bytes), kilobytes(f.day), kilobytes(2*sizingLease*f.day))
	fmt.Fprintf(out,
		"%d sandboxes that have lived a lease, %d of a hundred in memory: %s of memory, %s of database\n",
		sizingMany, sizingHot, gigabytes(sizingMany*(hot*sizingHot/100+asleep)), gigabytes(sizingMany*lease))
	return nil
}

func gigabytes(v float64) string { return strconv.FormatFloat(v/1e9, 'f', 1, 64) + " GB" }

// Package server puts the parts together: it is the only place that imports
// them all. A server is made by New, runs from Start to Stop, and is the same
// whether a command or a test starts it.
package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"platen/internal/api"
	"platen/internal/api/faults"
	"platen/internal/api/message"
	"platen/internal/cluster/router"
	"platen/internal/company/preset"
	"platen/internal/config"
	"platen/internal/edge/admission"
	"platen/internal/edge/network"
	"platen/internal/edge/webhook"
	"platen/internal/mcp"
	"platen/internal/operation"
	"platen/internal/publish/docsite"
	"platen/internal/publish/openapi"
	"platen/internal/publish/postman"
	"platen/internal/publish/web"
	"platen/internal/sandbox"
	"platen/internal/server/metrics"
	"platen/internal/store"
	"platen/internal/store/postgres"
	"platen/internal/store/sqlite"
	"platen/internal/words/wire"
)

// Guards against slow and greedy clients.
const (
	headerTimeout = 10 * time.Second
	readTimeout   = 30 * time.Second
	// writeTimeout is above the 25 seconds that a long-poll may wait.
	writeTimeout = 60 * time.Second
	idleTimeout  = 2 * time.Minute
	// maxHeader is the most bytes of a request's line and headers. net/http reads headerSlop more than it is told.
	maxHeader  = 16 << 10
	headerSlop = 4 << 10
	// lameDuck is how long a stopping server responds with unavailable before
	// it closes connections.
	lameDuck = 100 * time.Millisecond
	// snapshotTime is how long a stopping server writes snapshots at most.
	snapshotTime = 10 * time.Second
	// otherFiles is about how many files a server needs beside the connections of its clients: those of the database,
	// and connections to receivers of webhooks.
	otherFiles = 200
	// EndTime is how long Stop waits for the storage at most, once clients had their time: together
	// they are less than the 30 seconds after which systemd and Docker kill.
	EndTime = 15 * time.Second
)

// Server is a whole Platen.
type Server struct {
	table  []operation.Operation
	config *config.Config
	log    *slog.Logger
	// clock is this server's own, now is that by which it works: of several servers, that of their storage.
	clock *clock
	now   func() time.Time
	began time.Time

	store store.Store
	// requests and commits are how long the newest took.
	requests, commits metrics.Recent
	// admissionOptions are those of the controller, admitting has it.
	admissionOptions admission.Options
	admitting        admitting
	// cluster is nil for a server that has its storage for itself.
	cluster  *cluster
	registry *sandbox.Registry
	gate     gate
	network  *network.Rules
	metrics  *metrics.Metrics
	sealer   *webhook.Sealer
	policy   webhook.Policy
	api      *api.Server
	// router is nil for a server that works alone.
	router   *router.Router
	listener *limitListener
	// memory is the most that the process should take, in bytes, shares the part of it for responses under way.
	memory int64
	shares *shares
	http   *http.Server
	// net is how the server reaches clients and receivers.
	net Net
	// opsListener and opsHTTP serve operators; they are nil without an address for
	// them.
	opsListener *limitListener
	opsHTTP     *http.Server
	origin      string
	presets     map[string]preset.Preset
	// site is nil before Start, but for a test that takes the docs of another server.
	site *docsite.Site
	// dispatcher is nil before Start.
	dispatcher *webhook.Dispatcher

	// stopping is set from the beginning of Stop.
	stopping atomic.Bool
	health   health
	storage  storage
	refusals sample

	// background is the context of the work in the background, stop ends it, done waits
	// for it.
	background context.Context //nolint:containedctx // it lasts from Start to Stop
	stop       context.CancelFunc
	done       sync.WaitGroup
	failed     chan error
}

// Net is the network of a server. The functions that are nil are those of the machine. A
// test that lets time pass in a moment gives a network in memory: time does not pass
// while anything waits for a socket.
type Net struct {
	Listen func(ctx context.Context, network, address string) (net.Listener, error)
	// Dial connects to receivers of webhooks, once their address is allowed.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Use sets the network, before Start.
func (s *Server) Use(n Net) { s.net = n }

// New opens the storage of a server. Start makes it reachable.
func New(ctx context.Context, c *config.Config, log *slog.Logger) (*Server, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	db, nodes, err := openStore(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	return newServer(ctx, c, log, parts{db, nodes, machineClock(log)})
}

// parts are those of a server that tests make themselves: a storage, the view that several servers have of each other
// in one that they share, and a clock.
type parts struct {
	db    store.Store
	nodes store.Nodes
	clock *clock
}

// newServer is New over its parts.
func newServer(ctx context.Context, c *config.Config, log *slog.Logger, p parts) (*Server, error) {
	db := p.db
	presets, err := loadPresets(c.Presets)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	rules, err := networks(c)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	gate, err := budgets(c, rules, log)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	table := operation.Table()
	m := metrics.New(table, Version())
	s := &Server{
		table: table, config: c, log: log, clock: p.clock, now: p.clock.Now, began: p.clock.Now(), presets: presets,
		gate:    gate,
		network: rules, metrics: m,
		failed: make(chan error, 3), // of all addresses
	}
	if s.memory, err = MemoryLimit(c); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	s.shares = newShares(s.memory / sharePart)
	s.storage.log = log
	s.store = &meteredStore{Store: db, metrics: m, recent: &s.commits, storage: &s.storage}
	if err := s.openRegistry(ctx, p.nodes, presets); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	s.warn()
	return s, nil
}

// warn logs settings that an operator may not have meant.
func (s *Server) warn() {
	if s.config.Profile == config.Local && !s.local() {
		s.log.Warn("the profile local takes off the limits that clients are kept from harm by, and others can reach "+
			"this server", "listen", s.config.Listen)
	}
	if s.config.PrivateWebhooks && !s.local() {
		s.log.Warn("private-webhooks is set on a server that others can reach: "+
			"every client can have requests sent to addresses of your network", "listen", s.config.Listen)
	}
	if most, known := openFiles(); known && most < uint64(s.connections())+otherFiles { // newcomers wait without one
		s.log.Warn("this process may open fewer files than it may have connections: when they are used up, new "+
			"connections wait. Raise the limit (ulimit -n, LimitNOFILE), or lower --connections", "files", most,
			"connections", s.connections(), "other_files", otherFiles)
	}
	files := []string{s.config.SecretKeyFile}
	if !s.config.Postgres() {
		key, _ := FindKey(s.config.Database)
		files = append(files, s.config.Database, key)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
			s.log.Warn("others on this machine can read this file; make it yours alone with chmod 600", "file", file,
				"mode", info.Mode().Perm().String())
		}
	}
}

// openStore opens a SQLite file, or a PostgreSQL database named by its URL.
func openStore(ctx context.Context, c *config.Config) (store.Store, store.Nodes, error) {
	if !c.Postgres() {
		db, err := sqlite.Open(ctx, c.Database)
		return db, nil, err
	}
	open := postgres.Open
	if c.NodeAddress != "" {
		open = postgres.OpenShared
	}
	db, err := open(ctx, c.DatabaseURL())
	return db, db, err
}

// Start listens and serves in the background. Failed reports if serving ends
// on its own.
func (s *Server) Start(ctx context.Context) error {
	listen := s.net.Listen
	if listen == nil {
		listen = (&net.ListenConfig{Control: smallBuffers}).Listen
	}
	listener, err := listen(ctx, "tcp", s.config.Listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	s.origin = originOf(listener.Addr())
	if public := s.config.PublicURL; len(public) > 0 {
		s.origin = strings.TrimRight(public[0], "/")
	}
	if err := s.dispatch(); err != nil {
		return errors.Join(err, listener.Close())
	}
	handler, err := s.handler()
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	if err := s.listenForOperators(ctx); err != nil {
		return errors.Join(err, listener.Close())
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.background, s.stop = background, stop
	if err := s.joinNodes(ctx); err != nil {
		if s.opsListener != nil {
			err = errors.Join(err, s.opsListener.Close())
		}
		return errors.Join(err, listener.Close())
	}
	if err := s.dispatcher.Start(ctx); err != nil {
		err = errors.Join(err, s.leaveNodes(ctx))
		if s.opsListener != nil {
			err = errors.Join(err, s.opsListener.Close())
		}
		return errors.Join(err, listener.Close())
	}
	s.listener = limitConnections(&envelopeListener{Listener: s.proxied(listener), answer: s.api.Standalone},
		connectionLimits{total: s.connections(), group: groupConnections(s.config, s.connections()),
			block:   blockConnections(s.config, s.connections()),
			network: s.network, late: s.config.ProxyProtocol, busy: processorsBusy, ended: s.metrics.ConnectionEnded,
			full: s.crowded})
	s.shares.listener = s.listener
	s.gauges()
	s.http = guarded(handler, s.listener, s.log)
	s.done.Go(func() { s.registry.Run(background) })
	if s.cluster == nil { // else time is the storage's
		s.done.Go(func() { s.keepTime(background) })
	}
	if c := s.admission(); c != nil {
		s.done.Go(func() { c.Run(background) })
	}
	s.serve(s.http, s.listener)
	if s.opsHTTP != nil {
		s.serve(s.opsHTTP, s.opsListener)
	}
	return nil
}

// crowded warns that newcomers wait, or says who is closed for them.
func (s *Server) crowded(reason string) {
	gives := map[string]string{
		requestCut: "requests that are slow to arrive", unread: "responses that their clients do not read",
		"": "nobody: every request is at work, and new connections wait",
	}[reason]
	s.log.Warn("the places for connections are taken", "connections", s.connections(), "gives_way", gives)
}

// serve serves in the background.
func (s *Server) serve(h *http.Server, l net.Listener) {
	s.done.Go(func() {
		if err := h.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- err
		}
	})
}

// handler builds the routes of everything that the server serves.
func (s *Server) handler() (http.Handler, error) {
	var err error
	injector := &faults.Injector{Now: s.registry.Now, Errors: s.errors()}
	options := api.Options{
		Registry: s.registry, Admission: s.admission(), Origin: s.origin, Log: s.log, Gate: s.gate,
		Network: s.network, Observe: s.observe, Serves: s.acceptsHost, Ours: s.ours, CreationKey: s.config.CreationKey,
		OneOffice: s.oneOffice(), FreeConsole: s.config.KeyRate == 0,
		Bodies: s.config.RequestBodies,
		Advise: s.advise,
		Held:   message.NewHeld(s.connections()/2, s.memory/sharePart/2), Shares: s.shares,
		Within: injector.Layer,
	}
	if err := s.route(&options); err != nil {
		return nil, err
	}
	if s.api, err = api.New(options, s.table); err != nil {
		return nil, err
	}
	injector.Carry = s.api.Carry
	endpoint := sync.OnceValues(func() (*mcp.Endpoint, error) { return s.agentEndpoint(s.site) })
	if s.site == nil {
		s.site = s.docs(endpoint)
	}
	pages, err := s.pages(s.site)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	s.healthRoutes(mux)
	mux.HandleFunc("GET /status.json", s.status)
	if s.config.OpsListen == "" {
		mux.HandleFunc("GET /metrics", s.figures)
	}
	mux.HandleFunc("GET /openapi.json", s.profiles("application/json", nil))
	mux.HandleFunc("GET /openapi.yaml", s.profiles("application/yaml", openapi.YAML))
	mux.HandleFunc("GET /postman.json", web.Document("application/json", func() ([]byte, error) {
		return postman.Collection(s.table, s.origin) //nolint:wrapcheck // the error names the document
	}))
	mux.HandleFunc("GET /console/records.json", web.Document("application/json", func() ([]byte, error) {
		return openapi.Records(s.table) //nolint:wrapcheck // the error names the document
	}))
	for _, path := range []string{mcp.Path, mcp.OfficePath, mcp.FactoryPath} {
		mux.Handle(path, s.agents(endpoint))
	}
	mux.Handle("/.well-known/agent-skills/", pages)
	mux.HandleFunc("/.well-known/", noAuthorization)
	mux.Handle("/", pages)
	return s.split(s.api, s.paid(s.observed(mux))), nil
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	fmt.Fprintln(w, text)
}

// Addr returns the address that the server listens on.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// Origin returns the scheme and host that links begin with.
func (s *Server) Origin() string { return s.origin }

// BaseURL returns where the API lives.
func (s *Server) BaseURL() string { return s.origin + wire.BasePath }

// AgentURL returns where agents connect (contract: SVC.ADDRESSES).
func (s *Server) AgentURL() string { return s.origin + mcp.Path }

// Advice says how to be rid of the limits, where the server has them and serves nobody but
// the person who started it, and "" elsewhere.
func (s *Server) Advice() string {
	c := s.config
	if c.Profile == config.Local || !s.local() || len(c.PublicURL) > 0 || len(c.TrustedProxy) > 0 || c.ProxyProtocol {
		return ""
	}
	return "On your own machine: platen serve --profile " + config.Local
}

// advise is the Advice about one setting, "" where it would change nothing.
func (s *Server) advise(setting string) string {
	if !config.InProfile(setting) {
		return ""
	}
	return s.Advice()
}

// LiftBans ends all bans of networks that this server knows of, and returns how
// many there were.
func (s *Server) LiftBans() int { return s.gate.Lift(s.now()) }

// Failed yields an error when serving ends on its own.
func (s *Server) Failed() <-chan error { return s.failed }

// Stop drains: new requests are refused, those under way finish until the
// context ends, and the storage is closed. Clients that are too slow for that
// are cut off, which is no error. A storage that does not respond ends the stop
// all the same.
func (s *Server) Stop(ctx context.Context) error {
	if s.http != nil {
		s.api.Stop()
		s.stopping.Store(true)
		select { // clients with an open connection are refused before it closes
		case <-ctx.Done():
		case <-time.After(lameDuck):
		}
		if end, limited := ctx.Deadline(); limited { // half of the time is for bodies on their way
			cut := time.AfterFunc(time.Until(end)/2, s.api.CutBodies)
			defer cut.Stop()
		}
		if err := errors.Join(s.http.Shutdown(ctx), s.dispatcher.Stop(ctx)); err != nil {
			s.log.Warn("cut off what was not done in time", "error", err)
		}
		s.stop()
		if err := s.http.Close(); err != nil {
			s.log.Warn("close the connections", "error", err)
		}
		s.closeForOperators() // last: until here it says that the server stops
	}
	ended := make(chan error, 1)
	go func() { ended <- s.end(context.WithoutCancel(ctx)) }()
	timer := time.NewTimer(EndTime)
	defer timer.Stop()
	select {
	case err := <-ended:
		return err
	case <-timer.C:
		return fmt.Errorf("the storage did not close within %s; what was acknowledged is in it", EndTime)
	}
}

// end writes snapshots and closes everything that was opened. It has a time of
// its own: the time that slow clients used up is not missing here.
func (s *Server) end(ctx context.Context) error {
	if s.http != nil {
		s.done.Wait()
		saving, cancel := context.WithTimeout(ctx, snapshotTime)
		defer cancel()
		s.registry.Close(saving)
		if s.cluster == nil {
			if err := s.clock.keep(saving, s.store); err != nil {
				s.log.Warn("keep the time for the next start", "error", err)
			}
		}
	}
	errs := []error{s.leaveNodes(ctx)}
	if closer, ok := s.gate.(io.Closer); ok {
		errs = append(errs, closer.Close())
	}
	errs = append(errs, s.store.Close())
	return errors.Join(errs...)
}

// originOf derives links from an address. An address for all interfaces is called
// localhost.
func originOf(addr net.Addr) string {
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return "http://" + addr.String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}

package server

import (
	"context"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"

	"github.com/go-json-experiment/json"

	"platen/internal/api"
	"platen/internal/api/message"
	"platen/internal/cluster/hop"
	"platen/internal/cluster/node"
	"platen/internal/cluster/router"
	"platen/internal/company/preset"
	"platen/internal/edge/admission"
	"platen/internal/sandbox"
	"platen/internal/store"
)

// admitting is the controller of a server that has the role of handing out places.
type admitting struct {
	mu sync.Mutex // guards the fields below, and that one controller is opened at a time
	// role says that this server has the role, stop ends the work of the controller.
	role       store.Record
	controller *admission.Controller
	stop       context.CancelFunc
}

// cluster has the parts of a server with shared storage.
type cluster struct {
	node *node.Node
	road *hop.Road
	// self is the answer of this process at SelfPath, by which it knows its own address.
	self     string
	listener net.Listener
	http     *http.Server
	done     sync.WaitGroup // of http
}

// openNode makes a server of a shared storage one of its nodes. It joins with Start.
func (s *Server) openNode(nodes store.Nodes, key []byte, presets map[string]preset.Preset) error {
	if nodes == nil {
		return nil
	}
	road, err := hop.NewRoad(key)
	if err != nil {
		return fmt.Errorf("prepare requests between nodes: %w", err)
	}
	settings, err := s.alike(key, presets)
	if err != nil {
		return err
	}
	self := make([]byte, secretBytes)
	rand.Read(self)
	s.cluster = &cluster{road: road, self: hex.EncodeToString(self)}
	s.cluster.node = node.New(node.Options{
		Nodes: nodes, Address: s.config.NodeAddress, Settings: settings, Name: processName(),
		Engine: s.engine(), Log: s.log, Now: s.now,
		Prove: s.proveAddress, Lost: s.lost,
	})
	s.now = s.cluster.node.Now
	road.Now = s.now
	return nil
}

// alike is a digest of the settings that all nodes must have alike: those by which they
// decide together, and the secret by which they know each other.
func (s *Server) alike(key []byte, presets map[string]preset.Preset) (string, error) {
	c := s.config
	sum, err := hkdf.Key(sha256.New, key, nil, "platen settings of nodes", sha256.Size)
	if err != nil {
		return "", fmt.Errorf("sum up the settings: %w", err)
	}
	h := sha256.New()
	h.Write(sum)
	fmt.Fprintln(h, c.PublicURL, c.SandboxDuration, c.Extension, c.ExtensionWindow, c.Grace,
		c.TickPause, c.IdlePause, c.ClaimWindow, c.MaxSandboxes, c.QueueLength, c.IPActive, c.IPCreations,
		c.BlockFactor,
		c.IPv4Prefix, c.IPv6Prefix, c.IPv4Block, c.IPv6Block, c.KeyRate, c.KeyBurst, c.IPRate, c.AnonymousRate,
		c.Cooldown, c.Ban, c.PowDifficulty, c.PrivateWebhooks, c.CreationKey, c.EvaluationSecret)
	if err := json.MarshalWrite(h, presets, json.Deterministic(true)); err != nil {
		return "", fmt.Errorf("sum up the presets: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// processName returns the name of this server for operators.
func processName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "an unknown machine"
	}
	return fmt.Sprintf("platen %d on %.40s", os.Getpid(), host)
}

// route adds the router to the layers of the API, and none to a server that works alone.
func (s *Server) route(o *api.Options) error {
	if s.cluster == nil {
		return nil
	}
	var err error
	s.router, err = router.New(router.Options{
		Node: s.cluster.node, Road: s.cluster.road, Registry: s.registry, Gate: o.Gate, Admitting: s.admits,
		Counted: s.metrics.SentOn, Stopping: func() bool { return s.api.Stopping() },
		Log: s.log,
	})
	if err != nil {
		return err //nolint:wrapcheck // it says what it did
	}
	o.Before, o.Revoke = s.router.Layer, s.router.Revoke
	return nil
}

// errors turns errors into responses.
func (s *Server) errors() *message.Errors {
	return &message.Errors{Origin: s.origin, Log: s.log, Advise: s.advise}
}

// joinNodes listens for other nodes, and joins them.
func (s *Server) joinNodes(ctx context.Context) error {
	c := s.cluster
	if c == nil {
		return nil
	}
	if s.config.NodeAddress != "" {
		address := s.config.NodeListen
		if address == "" {
			address = s.config.NodeAddress
		}
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
		if err != nil {
			return fmt.Errorf("listen for other servers: %w", err)
		}
		limited := limitConnections(listener, connectionLimits{total: s.config.Connections})
		c.listener, c.http = limited, guarded(s.router.FromNodes(c.self, s.api.Serve), limited, s.log)
		c.done.Go(func() {
			if err := c.http.Serve(limited); !errors.Is(err, http.ErrServerClosed) {
				s.failed <- err
			}
		})
	}
	if err := c.node.Start(ctx); err != nil {
		return errors.Join(err, s.closeForNodes())
	}
	return nil
}

// proveAddress shows that other nodes reach this process at its address.
func (s *Server) proveAddress(ctx context.Context) error {
	if s.config.NodeAddress == "" {
		return nil
	}
	return s.cluster.road.Prove(ctx, s.config.NodeAddress, s.cluster.self) //nolint:wrapcheck // it says what it did
}

// closeForNodes closes the address for other nodes, if there is one.
func (s *Server) closeForNodes() error {
	if s.cluster == nil {
		return nil
	}
	s.cluster.road.Close()
	if s.cluster.http == nil {
		return nil
	}
	err := s.cluster.http.Close()
	s.cluster.done.Wait()
	return err //nolint:wrapcheck // it names the address
}

// leaveNodes ends the session: what this server owned is free.
func (s *Server) leaveNodes(ctx context.Context) error {
	if s.cluster == nil {
		return nil
	}
	return errors.Join(s.cluster.node.Stop(ctx), s.closeForNodes())
}

// lost forgets everything that counted in a session that is over.
func (s *Server) lost() {
	s.registry.LetGo()
	a := &s.admitting
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.controller != nil {
		a.stop()
		a.controller, a.role = nil, store.Record{}
	}
}

// admits returns the controller of a server that has the role of handing out places, by
// a record that says so. It reads places and queue anew when the role has come to it.
func (s *Server) admits(ctx context.Context, role store.Record) (*admission.Controller, error) {
	a := &s.admitting
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.controller != nil && string(a.role.Body) == string(role.Body) {
		return a.controller, nil
	}
	o := s.admissionOptions
	o.Role = []store.Write{{Record: role, Rule: store.Match}}
	controller, err := admission.Open(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("open the queue: %w", err)
	}
	if a.controller != nil {
		a.stop()
	}
	running, stop := context.WithCancel(s.background)
	a.controller, a.role, a.stop = controller, role, stop
	s.done.Go(func() { controller.Run(running) })
	s.log.Info("this server hands out the places now")
	return controller, nil
}

// admission is the controller of this server, nil while another one hands out places.
func (s *Server) admission() *admission.Controller {
	s.admitting.mu.Lock()
	defer s.admitting.mu.Unlock()
	return s.admitting.controller
}

// queueLength is the number of tickets that wait here for a place.
func (s *Server) queueLength() int {
	if c := s.admission(); c != nil {
		return c.Length()
	}
	return 0
}

// ownership are the functions by which the registry shares its sandboxes, none for a
// server that works alone.
func (s *Server) ownership() sandbox.Ownership {
	if s.cluster == nil {
		return sandbox.Ownership{}
	}
	n := s.cluster.node
	return sandbox.Ownership{
		Hold: func(ctx context.Context, sandboxID string) (store.Fence, error) {
			claim, err := n.Hold(ctx, sandboxID)
			return claim, router.Unsettled(err)
		},
		Held: n.Held, Trusted: n.Trusted, Fenced: n.Fenced, Released: n.Release, ClaimDue: n.ClaimDue,
		ClaimNamed: n.ClaimNamed,
	}
}

// hooks tell the controller of sandboxes that come and go here.
func (s *Server) hooks() sandbox.Hooks {
	with := func(do func(*admission.Controller)) {
		if c := s.admission(); c != nil {
			do(c)
		}
	}
	return sandbox.Hooks{
		Saved:     func(h store.Sandbox) { with(func(c *admission.Controller) { c.Saved(h) }) },
		Deleted:   func(id string) { with(func(c *admission.Controller) { c.Deleted(id) }) },
		Uncertain: func() { with((*admission.Controller).Uncertain) },
	}
}

// nodes are the servers of the database, nil for one that has it alone.
func (s *Server) nodes() *nodes {
	if s.cluster == nil || s.config.NodeAddress == "" {
		return nil
	}
	f := s.cluster.node.Figures()
	return &nodes{
		Living: f.Living, Owned: f.Owned, Trusted: s.cluster.node.Trusted(), Admits: s.admission() != nil,
	}
}

// nodeGauges registers the gauges of a server among others.
func (s *Server) nodeGauges() {
	if s.cluster == nil {
		return
	}
	n := s.cluster.node
	s.metrics.Gauge("platen_node_sandboxes_owned", func() float64 { return float64(n.Figures().Owned) })
	s.metrics.Gauge("platen_nodes", func() float64 { return float64(n.Figures().Living) })
	s.metrics.Gauge("platen_node_beat_age_seconds", func() float64 { return n.Figures().Beat.Seconds() })
	s.metrics.Gauge("platen_node_trusted", func() float64 {
		if n.Trusted() {
			return 1
		}
		return 0
	})
	s.metrics.Gauge("platen_node_admits", func() float64 {
		if s.admission() != nil {
			return 1
		}
		return 0
	})
	s.metrics.Gauge("platen_node_claims", func() float64 { return float64(n.Figures().Claims) })
	s.metrics.Gauge("platen_node_burials", func() float64 { return float64(n.Figures().Burials) })
	s.metrics.Gauge("platen_node_fenced_writes", func() float64 { return float64(n.Figures().Fenced) })
	s.metrics.Gauge("platen_node_sessions", func() float64 { return float64(n.Figures().Sessions) })
}

// Package valkey keeps rate budgets for several nodes in one Valkey or Redis.
// Each decision is one script there, so no two nodes spend the same token, and
// it is the same decision that the gate in memory would make.
//
// A server that does not respond must not stop any request: then each node
// decides by budgets of its own, logs that, and looks again after a while.
package valkey

import (
	"context"
	_ "embed" // for the script
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gomodule/redigo/redis"

	"platen/internal/edge/network"
	"platen/internal/edge/ratelimit"
)

const (
	// defaultPatience is how long a decision may take: longer than any response
	// over a local network, shorter than a client notices.
	defaultPatience = 100 * time.Millisecond
	// defaultPause is how long a node decides alone after a failure.
	defaultPause = time.Second
	// maxConnections bounds the connections of a node. A decision holds one for
	// tens of microseconds.
	maxConnections = 64
	idleTime       = 5 * time.Minute
	// keys is the number of keys of the script.
	keys = 5
	// maxBans bounds the bans that a node remembers by itself.
	maxBans = 10_000
	// prefix begins all keys. Its braces keep them on one node of a cluster.
	prefix = "{platen}:"
)

//go:embed admit.lua
var script string

// Gate shares its budgets between nodes.
type Gate struct {
	// local holds the budgets, and decides while the server does not respond.
	local  *ratelimit.Gate
	pool   *redis.Pool
	script *redis.Script
	log    *slog.Logger
	// clock is the time that is passed to the script: 0 lets it ask its server.
	clock func(at time.Time) int64
	// remember is how long the server keeps a written entry.
	remember time.Duration
	// patience is how long a decision may take, pause how long the server is
	// not asked after one that failed.
	patience, pause time.Duration

	failures atomic.Int64
	// aloneUntil is the time until which the server is not asked, in
	// nanoseconds since 1970.
	aloneUntil atomic.Int64

	// mu guards bans.
	mu   sync.Mutex
	bans map[netip.Prefix]time.Time
}

// Open returns a gate over the server that a redis:// address names. The server
// need not be reachable yet.
func Open(address string, o ratelimit.Options, log *slog.Logger) (*Gate, error) {
	return open(address, o, log, defaultPatience)
}

func open(address string, o ratelimit.Options, log *slog.Logger, patience time.Duration) (*Gate, error) {
	dial, err := dialer(address, patience)
	if err != nil {
		return nil, err
	}
	local, err := ratelimit.New(o)
	if err != nil {
		return nil, fmt.Errorf("make budgets: %w", err)
	}
	longest := time.Minute
	for _, p := range []ratelimit.Penalty{o.Cooldown, o.Ban} {
		longest = max(longest, p.Within, p.Lasts)
	}
	for _, b := range []ratelimit.Budget{o.Key, o.Group, o.Anonymous, o.Block} {
		longest = max(longest, b.Whole())
	}
	return &Gate{
		local: local, script: redis.NewScript(keys, script), log: log,
		pool: &redis.Pool{
			DialContext: dial, TestOnBorrowContext: alive, MaxIdle: maxConnections, MaxActive: maxConnections,
			Wait: true, IdleTimeout: idleTime,
		},
		clock: func(time.Time) int64 { return 0 }, remember: longest + time.Minute, patience: patience,
		pause: defaultPause, bans: map[netip.Prefix]time.Time{},
	}, nil
}

// dialer connects to an address: redis://, rediss:// and valkey:// with a host,
// or unix:// with the path of a socket.
func dialer(address string, patience time.Duration) (func(context.Context) (redis.Conn, error), error) {
	timeouts := []redis.DialOption{
		redis.DialConnectTimeout(patience), redis.DialReadTimeout(patience), redis.DialWriteTimeout(patience),
	}
	u, err := url.Parse(address)
	switch {
	case err != nil:
	case u.Scheme == "unix" && u.Path != "":
		return func(ctx context.Context) (redis.Conn, error) {
			return redis.DialContext(ctx, "unix", u.Path, timeouts...)
		}, nil
	case u.Host != "" && (u.Scheme == "redis" || u.Scheme == "rediss" || u.Scheme == "valkey") &&
		database.MatchString(u.Path):
		rest := strings.TrimPrefix(u.String(), "valkey:")
		if rest != u.String() {
			rest = "redis:" + rest
		}
		return func(ctx context.Context) (redis.Conn, error) { return redis.DialURLContext(ctx, rest, timeouts...) },
			nil
	}
	// The address is not repeated: it may hold a password.
	return nil, errors.New("this is no address such as redis://localhost:6379/0")
}

// database is the path of an address: the number of a database, or nothing.
var database = regexp.MustCompile(`^/?[0-9]{0,4}$`)

// alive looks at a connection that was idle for longer than a failure lasts.
func alive(ctx context.Context, c redis.Conn, since time.Time) error {
	if time.Since(since) < defaultPause {
		return nil
	}
	_, err := redis.DoContext(c, ctx, "PING")
	return err //nolint:wrapcheck // the pool only asks whether
}

// Close gives the connections back.
func (g *Gate) Close() error {
	if err := g.pool.Close(); err != nil {
		return fmt.Errorf("close the shared budgets: %w", err)
	}
	return nil
}

// Shared reports whether the newest decision was made for all nodes.
func (g *Gate) Shared() bool { return g.aloneUntil.Load() == 0 }

// Failures is the number of times the server did not respond.
func (g *Gate) Failures() int64 { return g.failures.Load() }

// Budget returns one of the gate's budgets.
func (g *Gate) Budget(name ratelimit.Name) ratelimit.Budget { return g.local.Budget(name) }

// Cooldown returns the penalty of keys.
func (g *Gate) Cooldown() ratelimit.Penalty { return g.local.Cooldown() }

// Size is the number of callers that this node remembers by itself.
func (g *Gate) Size() int { return g.local.Size() }

// Admit decides on one request and spends its cost.
func (g *Gate) Admit(at time.Time, group netip.Prefix, caller ratelimit.Caller) ratelimit.Decision {
	own := ratelimit.Own(caller)
	said, ok := g.ask("admit", at, group, caller)
	if !ok {
		return g.local.Admit(at, group, caller)
	}
	d := ratelimit.Decision{Outcome: ratelimit.Passed, Own: own, Remaining: said.remaining}
	return g.decision(at, group, d, said)
}

// decision is d when the script let the request pass, and what it said otherwise.
func (g *Gate) decision(at time.Time, group netip.Prefix, d ratelimit.Decision, said said) ratelimit.Decision {
	switch {
	case said.outcome == 0:
		return d
	case said.by == byGroup:
		d.By = ratelimit.Group
	case said.by == byBlock:
		d.By, d.Block = ratelimit.Block, g.local.Block(group).String()
	default:
		d.By = d.Own
	}
	d.Remaining = 0
	d.Began = said.outcome == beganOutcome
	d = d.Refused(at, said.wait, said.outcome >= shutOutcome)
	if d.Outcome == ratelimit.Banned {
		g.banned(group, d.RetryAt)
	}
	return d
}

// Enter spends a token of a network group alone.
func (g *Gate) Enter(at time.Time, group netip.Prefix) ratelimit.Decision {
	said, ok := g.ask("enter", at, group, ratelimit.Caller{})
	if !ok {
		return g.local.Enter(at, group)
	}
	d := ratelimit.Decision{Outcome: ratelimit.Passed, Own: ratelimit.Group, Remaining: said.remaining}
	return g.decision(at, group, d, said)
}

// Charge spends a token of a network group's anonymous budget, if there is one.
func (g *Gate) Charge(at time.Time, group netip.Prefix) ratelimit.Decision {
	said, ok := g.ask("charge", at, group, ratelimit.Caller{})
	if !ok {
		return g.local.Charge(at, group)
	}
	return ratelimit.Decision{Outcome: ratelimit.Passed, Own: ratelimit.Anonymous, Remaining: said.remaining}
}

// Look returns a caller's remaining budget, and spends nothing.
func (g *Gate) Look(at time.Time, group netip.Prefix, caller ratelimit.Caller) ratelimit.Decision {
	said, ok := g.ask("look", at, group, caller)
	if !ok {
		return g.local.Look(at, group, caller)
	}
	return ratelimit.Decision{Outcome: ratelimit.Passed, Own: ratelimit.Own(caller), Remaining: said.remaining}
}

// Shuts reports whether this node knows of a ban. It does not ask the server: a
// ban that it does not know comes with the next decision.
func (g *Gate) Shuts(at time.Time, group netip.Prefix) bool {
	g.mu.Lock()
	until := g.bans[group]
	g.mu.Unlock()
	return at.Before(until) || g.local.Shuts(at, group)
}

// Browse decides on a request for a page. Pages are counted by each node for
// itself: they are no part of what several nodes protect together, and none of
// them is worth a question to the server.
func (g *Gate) Browse(at time.Time, group netip.Prefix, tokens int) ratelimit.Decision {
	g.mu.Lock()
	until := g.bans[group]
	g.mu.Unlock()
	if at.Before(until) {
		return ratelimit.Decision{By: ratelimit.Group, Own: ratelimit.Pages}.Refused(at, until.Sub(at), true)
	}
	return g.local.Browse(at, group, tokens)
}

// banned remembers a ban of a network group.
func (g *Gate) banned(group netip.Prefix, until time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.bans) >= maxBans {
		clear(g.bans)
	}
	g.bans[group] = until
}

// Lift ends the bans that this node knows of, for all nodes, and returns how many
// those were.
func (g *Gate) Lift(at time.Time) int {
	g.mu.Lock()
	groups := make([]any, 0, 2*len(g.bans))
	lifted := 0
	for group, until := range g.bans {
		network := prefix + "network:" + group.String()
		groups = append(groups, network, network+":refused")
		if at.Before(until) {
			lifted++
		}
	}
	clear(g.bans)
	g.mu.Unlock()
	if len(groups) > 0 {
		ctx, cancel := context.WithTimeout(context.Background(), g.patience)
		defer cancel()
		c, err := g.pool.GetContext(ctx)
		if err == nil {
			_, err = redis.DoContext(c, ctx, "DEL", groups...)
			err = errors.Join(err, c.Close())
		}
		if err != nil {
			g.alone(err)
		}
	}
	return lifted + g.local.Lift(at)
}

// Outcomes of the script from which on a caller is shut out: since before, or
// by the request itself.
const (
	shutOutcome  = 2
	beganOutcome = 3
)

// Whom the script can name as the one that refused, beside the caller.
const (
	byGroup = 1
	byBlock = 3
)

// said is a result of the script.
type said struct {
	outcome, by int64
	remaining   int
	wait        time.Duration
}

// ask runs the script. It is not ok when this node has to decide alone.
func (g *Gate) ask(what string, at time.Time, group netip.Prefix, caller ratelimit.Caller) (said, bool) {
	if until := g.aloneUntil.Load(); until > 0 && time.Now().UnixNano() < until {
		return said{}, false
	}
	o := g.local.Options()
	own, penalty, name := o.Anonymous, ratelimit.Penalty{}, "anonymous:"+group.String()
	if ratelimit.Own(caller) == ratelimit.Key {
		own, penalty, name = o.Key, o.Cooldown, "key:"+caller.Sandbox+":"+caller.System
	}
	whole, block, shared := "network:"+group.String(), g.local.Block(group), ratelimit.Budget{}
	if block.IsValid() {
		shared = o.Block
	}
	arguments := []any{
		prefix + whole, prefix + whole + ":refused", prefix + name, prefix + name + ":refused",
		prefix + "block:" + block.String(), what, g.clock(at), g.remember.Milliseconds(),
	}
	ban, counts := o.Ban, 0
	if network.Loopback(group) {
		ban = ratelimit.Penalty{}
	}
	if ratelimit.Own(caller) == ratelimit.Anonymous {
		counts = 1
	}
	arguments = append(append(append(arguments, numbers(o.Group, ban)...), numbers(own, penalty)...), counts)
	arguments = append(arguments, numbers(shared, ratelimit.Penalty{})...)
	answer, err := g.run(arguments)
	const members = 4
	if err == nil && len(answer) != members {
		err = fmt.Errorf("the script returned %d numbers", len(answer))
	}
	if err != nil {
		g.alone(err)
		return said{}, false
	}
	if g.aloneUntil.Swap(0) > 0 {
		g.log.Info("the budgets are shared again")
	}
	left := int(answer[2])
	if left < 0 {
		left = ratelimit.MaxRequests
	}
	return said{outcome: answer[0], by: answer[1], remaining: left, wait: time.Duration(answer[3]) * time.Microsecond},
		true
}

// run runs the script.
func (g *Gate) run(arguments []any) (answer []int64, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), g.patience)
	defer cancel()
	c, err := g.pool.GetContext(ctx)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	answer, err = redis.Int64s(g.script.DoContext(ctx, c, arguments...))
	if err = errors.Join(err, c.Close()); err != nil {
		return nil, fmt.Errorf("run the script: %w", err)
	}
	return answer, nil
}

// alone notes that the server did not respond. Only the first failure is
// logged.
func (g *Gate) alone(err error) {
	g.failures.Add(1)
	if g.aloneUntil.Swap(time.Now().Add(g.pause).UnixNano()) == 0 {
		g.log.Warn("the server of the shared budgets does not respond; each node keeps its own", "error", err)
	}
}

// numbers are a budget and a penalty as the script reads them.
func numbers(b ratelimit.Budget, p ratelimit.Penalty) []any {
	if p.Off() {
		p = ratelimit.Penalty{}
	}
	interval := (b.Interval() + time.Microsecond - 1).Microseconds()
	return []any{interval, b.Burst, p.Refusals, p.Within.Microseconds(), p.Lasts.Microseconds(), p.Grace.Microseconds()}
}

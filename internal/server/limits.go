package server

import (
	"fmt"
	"log/slog"
	"time"

	"platen/internal/api"
	"platen/internal/config"
	"platen/internal/edge/network"
	"platen/internal/edge/ratelimit"
	"platen/internal/edge/ratelimit/valkey"
)

// Limits that operators do not set.
const (
	// cooldownRefusals within cooldownWithin begin a cooldown, those left out that
	// come in the cooldownGrace after the first (contract: OPEN.RATE.COOLDOWN).
	cooldownRefusals = 20
	cooldownWithin   = 10 * time.Second
	cooldownGrace    = time.Second
	// banRefusals within banWithin begin a ban (contract: OPEN.RATE.BAN).
	banRefusals = 300
	banWithin   = time.Minute
)

// gate is the interface of the budgets: those in memory, or shared ones.
type gate interface {
	api.Gate
	Size() int
	Lift(at time.Time) int
}

// budgets makes the budgets of a server. Shared ones are closed by the server.
func budgets(c *config.Config, rules *network.Rules, log *slog.Logger) (gate, error) {
	o := ratelimit.Options{
		Key: ratelimit.Budget{PerMinute: c.KeyRate, Burst: c.KeyBurst},
		// All of a minute's requests may come at once (contract:
		// OPEN.RATE.BUCKETS).
		Group:     ratelimit.Budget{PerMinute: c.IPRate, Burst: max(1, c.IPRate)},
		Anonymous: ratelimit.Budget{PerMinute: c.AnonymousRate, Burst: max(1, c.AnonymousRate)},
		// A page with its files is about 25 requests.
		Pages:      ratelimit.Budget{PerMinute: c.PageRate, Burst: max(1, c.PageRate)},
		BlockPages: blockBudget(c, c.PageRate), Block: blockBudget(c, c.IPRate), BlockOf: rules.Block,
		Cooldown: ratelimit.Penalty{Refusals: cooldownRefusals, Within: cooldownWithin, Lasts: c.Cooldown,
			Grace: cooldownGrace},
		Ban: ratelimit.Penalty{Refusals: banRefusals, Within: banWithin, Lasts: c.Ban},
	}
	if c.Valkey == "" {
		local, err := ratelimit.New(o)
		if err != nil {
			return nil, fmt.Errorf("set the limits: %w", err)
		}
		return local, nil
	}
	shared, err := valkey.Open(c.Valkey, o, log)
	if err != nil {
		return nil, fmt.Errorf("valkey: %w", err)
	}
	return shared, nil
}

// blockBudget is the budget of a block of network groups that have some requests a minute each.
func blockBudget(c *config.Config, groupRate int) ratelimit.Budget {
	rate := min(groupRate*c.BlockFactor, ratelimit.MaxRequests)
	return ratelimit.Budget{PerMinute: rate, Burst: max(1, rate)}
}

// blockConnections is how many connections a block of network groups may have: as many as it may
// have networks' shares, a tenth of all, and no fewer than one network (contract: OPEN.CONN.BLOCK).
func blockConnections(c *config.Config, all int) int {
	const tenth = 10
	return max(groupConnections(c, all), min(c.IPConnections*c.BlockFactor, all/tenth))
}

// groupConnections is how many connections a network group may have, and a quarter of all at most: 0 for no limit.
func groupConnections(c *config.Config, all int) int {
	const quarter = 4
	return min(c.IPConnections, max(1, all/quarter))
}

// connections is how many connections there may be: those of the setting, and no more than a quarter of the memory
// carries.
func (s *Server) connections() int {
	return int(min(int64(s.config.Connections), s.memory/connectionPart/connectionBytes))
}

// networks makes the rules that group addresses for the budgets.
func networks(c *config.Config) (*network.Rules, error) {
	proxies, err := network.ParseNetworks(c.TrustedProxy)
	if err != nil {
		return nil, fmt.Errorf("trusted-proxy: %w", err)
	}
	o := network.Options{Trusted: proxies, IPv4Bits: c.IPv4Prefix, IPv6Bits: c.IPv6Prefix}
	if c.BlockFactor > 0 {
		o.IPv4Block, o.IPv6Block = min(c.IPv4Block, c.IPv4Prefix), min(c.IPv6Block, c.IPv6Prefix)
	}
	rules, err := network.New(o)
	if err != nil {
		return nil, fmt.Errorf("set the networks: %w", err)
	}
	return rules, nil
}

// sharing shows how the shared budgets are.
func (s *Server) sharing(g *valkey.Gate) {
	s.metrics.Gauge("platen_budgets_shared", func() float64 {
		if g.Shared() {
			return 1
		}
		return 0
	})
	s.metrics.Gauge("platen_budgets_failures", func() float64 { return float64(g.Failures()) })
}

package server

import (
	"fmt"
	"time"

	"platen/internal/config"
	"platen/internal/network"
	"platen/internal/ratelimit"
)

// What operators do not set.
const (
	// groupBurstShare is the part of a minute's requests that a network group
	// may send at once: 60 of 360 (contract: OPEN.RATE.BUCKETS).
	groupBurstShare = 6
	// cooldownRefusals within cooldownWithin begin a cooldown (contract:
	// OPEN.RATE.COOLDOWN).
	cooldownRefusals = 20
	cooldownWithin   = 10 * time.Second
	// banRefusals within banWithin begin a ban (contract: OPEN.RATE.BAN).
	banRefusals = 300
	banWithin   = time.Minute
)

// limits makes the budgets of a server and the rules for whose they are.
func limits(c *config.Config) (*ratelimit.Gate, *network.Rules, error) {
	gate, err := ratelimit.New(ratelimit.Options{
		Key:   ratelimit.Budget{PerMinute: c.KeyRate, Burst: c.KeyBurst},
		Group: ratelimit.Budget{PerMinute: c.IPRate, Burst: max(1, c.IPRate/groupBurstShare)},
		// All of a minute's requests may come at once (contract:
		// OPEN.RATE.BUCKETS).
		Anonymous: ratelimit.Budget{PerMinute: c.AnonymousRate, Burst: max(1, c.AnonymousRate)},
		Cooldown:  ratelimit.Penalty{Refusals: cooldownRefusals, Within: cooldownWithin, Lasts: c.Cooldown},
		Ban:       ratelimit.Penalty{Refusals: banRefusals, Within: banWithin, Lasts: c.Ban},
	})
	if err != nil {
		return nil, nil, fmt.Errorf("set the limits: %w", err)
	}
	proxies, err := network.ParseNetworks(c.TrustedProxy)
	if err != nil {
		return nil, nil, fmt.Errorf("trusted-proxy: %w", err)
	}
	rules, err := network.New(network.Options{Trusted: proxies, IPv4Bits: c.IPv4Prefix, IPv6Bits: c.IPv6Prefix})
	if err != nil {
		return nil, nil, fmt.Errorf("set the networks: %w", err)
	}
	return gate, rules, nil
}

package server

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"platen/internal/cluster/node"
	"platen/internal/desk/subscription"
	"platen/internal/edge/netguard"
	"platen/internal/edge/webhook"
	"platen/internal/sandbox"
	"platen/internal/words/problem"
)

// webhooks are the webhook functions for the registry. The dispatcher begins
// with Start; before it nothing happens that could be sent.
func (s *Server) webhooks(key []byte) (sandbox.Webhooks, error) {
	sealer, err := webhook.NewSealer(key)
	if err != nil {
		return sandbox.Webhooks{}, fmt.Errorf("seal webhooks: %w", err)
	}
	s.sealer = sealer
	return sandbox.Webhooks{
		Check: func(address string) (host, reason, sentence string) {
			host, refusal := webhook.CheckURL(address, s.policy)
			return host, string(refusal), refusal.Sentence()
		},
		NewSecret: webhook.NewSecret,
		Seal: func(plain, sandboxID, subscriptionID string) []byte {
			return sealer.Seal(plain, webhook.SealContext(sandboxID, subscriptionID))
		},
		Open: func(sealed []byte, sandboxID, subscriptionID string) (string, error) {
			//nolint:wrapcheck // a seam, and nothing else
			return sealer.Open(sealed, webhook.SealContext(sandboxID, subscriptionID))
		},
		Send: func(ctx context.Context, a subscription.Attempt) subscription.Outcome {
			return s.dispatcher.Send(ctx, a)
		},
		Wake: func(sandboxID string) { s.dispatcher.Wake(sandboxID) },
	}, nil
}

// dispatch makes the dispatcher, once the origin is known: it is a host that
// must not be subscribed.
func (s *Server) dispatch() error {
	guard := netguard.Options{Private: s.config.PrivateWebhooks, Dial: s.net.Dial}
	s.policy = webhook.Policy{Private: s.config.PrivateWebhooks}
	for _, name := range s.names() {
		s.own(name)
	}
	if !s.config.PrivateWebhooks {
		own, err := netguard.OwnAddresses()
		if err != nil {
			return fmt.Errorf("list the addresses of this machine: %w", err)
		}
		guard.Own = own
		for _, address := range own {
			s.own(address.String())
		}
	}
	connections := netguard.New(guard)
	s.dispatcher = webhook.NewDispatcher(webhook.Options{
		Source: webhookSource{s.registry}, Sealer: s.sealer, Policy: s.policy, Log: s.log, Observer: s.metrics,
		UserAgent:    webhook.UserAgent(s.origin),
		NewTransport: func() webhook.Transport { return connections.Transport() },
	})
	return nil
}

// own notes a host as this server's. An address that is not public is refused
// as such already.
func (s *Server) own(host string) {
	if address, err := netip.ParseAddr(host); host != "" &&
		(err != nil || netguard.KindOf(address) == netguard.Public) {
		s.policy.OwnHosts = append(s.policy.OwnHosts, host)
	}
}

// webhookSource adapts the registry's subscriptions and delivery log to the dispatcher.
type webhookSource struct{ registry *sandbox.Registry }

// Due implements webhook.Source.
func (s webhookSource) Due(ctx context.Context, sandboxID string, now time.Time, limit int,
	wants func(*subscription.Attempt) bool) ([]subscription.Attempt, time.Time, error) {
	attempts, next, err := s.registry.Due(ctx, sandboxID, now, limit, wants)
	return attempts, next, goneOr(err)
}

// Record implements webhook.Source.
func (s webhookSource) Record(ctx context.Context, sandboxID string, outcomes []subscription.Outcome) error {
	return goneOr(s.registry.Record(ctx, sandboxID, outcomes))
}

// Owned implements webhook.Source.
func (s webhookSource) Owned(sandboxID string) bool { return s.registry.Owns(sandboxID) }

// Waiting implements webhook.Source.
func (s webhookSource) Waiting(ctx context.Context) ([]string, error) {
	return s.registry.Waiting(ctx) //nolint:wrapcheck // a seam, and nothing else
}

// goneOr returns the dispatcher's error for a sandbox that was deleted, or that another
// server owns, which sends for it.
func goneOr(err error) error {
	if errors.Is(err, node.ErrElsewhere) {
		return webhook.ErrGone
	}
	if p, ok := errors.AsType[*problem.Problem](err); ok && p.Code == problem.Unauthorized {
		return webhook.ErrGone
	}
	return err
}

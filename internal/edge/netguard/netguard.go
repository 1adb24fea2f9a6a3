// Package netguard connects to public addresses only. Where a connection leads
// is decided after names have been looked up, at the moment of connecting, so a
// name that is public when it is checked and private when it is dialled leads
// nowhere (contract: OPEN.WHK.URL.WHEN, WHK.URL.PUBLIC).
package netguard

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
	"time"
)

const (
	// port is the only one that may be dialled (contract: WHK.URL.PORT).
	port = 443
	// maxHeaders bounds the headers of a response, in bytes. Go's own limit is
	// a megabyte.
	maxHeaders = 16 << 10
	// idleTime is how long a connection waits for the next request. Most servers
	// wait 5 seconds or longer, so it is ours to hang up.
	idleTime = 4 * time.Second
	// maxIdle is how many connections wait for one host: as many as the
	// dispatcher uses for a sandbox at once.
	maxIdle = 16
	// readBuffer bounds the bytes of a response that are read ahead.
	readBuffer = 1 << 10
)

// ErrRefused is the error of a connection to an address that is not public.
var ErrRefused = errors.New("the address is not public")

// Options are the permissions of a guard.
type Options struct {
	// Private lets everything through: for your own machine.
	Private bool
	// Own are addresses of this server, which are refused although they may be
	// public.
	Own []netip.Addr
	// Resolver looks up names; nil is that of the system.
	Resolver *net.Resolver
	// Dial connects to an allowed address in place of the system. It is given no name.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Guard decides where connections may lead. It is safe for concurrent use.
type Guard struct {
	options Options
}

// New returns a guard.
func New(o Options) *Guard { return &Guard{options: o} }

// Check returns an error that is ErrRefused unless a connection may be made.
func (g *Guard) Check(to netip.AddrPort) error {
	if g.options.Private {
		return nil
	}
	if to.Port() != port {
		return fmt.Errorf("%w: the port is %d", ErrRefused, to.Port())
	}
	if slices.Contains(g.options.Own, to.Addr()) {
		return fmt.Errorf("%w: it is our own", ErrRefused)
	}
	if kind := KindOf(to.Addr()); kind != Public {
		return fmt.Errorf("%w: it is %s", ErrRefused, kind)
	}
	return nil
}

// control is called by the dialer with the address it is about to connect to.
func (g *Guard) control(_ context.Context, network, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || network != "tcp4" && network != "tcp6" {
		return fmt.Errorf("%w: %s %s", ErrRefused, network, address)
	}
	return g.Check(to)
}

func (g *Guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if err := g.control(ctx, "tcp4", address, nil); err != nil {
		return nil, err
	}
	return g.options.Dial(ctx, network, address)
}

// Transport returns a transport of its own: its connections are shared with no
// other. It uses no proxy and no compression, speaks HTTP/1.1 and TLS 1.2 or
// later, and follows no redirect, which is left to clients.
func (g *Guard) Transport() *http.Transport {
	dialer := &net.Dialer{
		Resolver: g.options.Resolver, ControlContext: g.control, KeepAliveConfig: net.KeepAliveConfig{Enable: false},
	}
	dial := dialer.DialContext
	if g.options.Dial != nil {
		dial = g.dial
	}
	return &http.Transport{
		DialContext:            dial,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		DisableCompression:     true,
		MaxIdleConnsPerHost:    maxIdle,
		MaxIdleConns:           maxIdle,
		IdleConnTimeout:        idleTime,
		ReadBufferSize:         readBuffer,
		MaxResponseHeaderBytes: maxHeaders,
	}
}

// OwnAddresses are those of the interfaces of this machine.
func OwnAddresses() ([]netip.Addr, error) {
	found, err := net.InterfaceAddrs()
	if err != nil {
		return nil, fmt.Errorf("list the addresses of this machine: %w", err)
	}
	var own []netip.Addr
	for _, a := range found {
		if network, ok := a.(*net.IPNet); ok {
			if address, ok := netip.AddrFromSlice(network.IP); ok {
				own = append(own, address.Unmap())
			}
		}
	}
	return own, nil
}

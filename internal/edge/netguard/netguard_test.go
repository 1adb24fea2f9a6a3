package netguard_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"

	"platen/internal/edge/netguard"
)

// addresses are at the edges of networks: of each the first, the last and,
// where it says something, the neighbour outside.
var addresses = []struct {
	address string
	want    netguard.Kind
}{
	{"0.0.0.0", netguard.Reserved},
	{"0.0.0.1", netguard.Reserved},
	{"0.255.255.255", netguard.Reserved},
	{"1.0.0.0", netguard.Public},
	{"9.255.255.255", netguard.Public},
	{"10.0.0.0", netguard.Private},
	{"10.255.255.255", netguard.Private},
	{"11.0.0.0", netguard.Public},
	{"100.63.255.255", netguard.Public},
	{"100.64.0.0", netguard.Private},
	{"100.100.100.200", netguard.Private}, // metadata of a cloud
	{"100.127.255.255", netguard.Private},
	{"100.128.0.0", netguard.Public},
	{"126.255.255.255", netguard.Public},
	{"127.0.0.0", netguard.Loopback},
	{"127.0.0.1", netguard.Loopback},
	{"127.255.255.255", netguard.Loopback},
	{"128.0.0.0", netguard.Public},
	{"168.63.129.15", netguard.Public},
	{"168.63.129.16", netguard.Reserved}, // services of a cloud
	{"168.63.129.17", netguard.Public},
	{"169.253.255.255", netguard.Public},
	{"169.254.0.0", netguard.LinkLocal},
	{"169.254.169.254", netguard.LinkLocal}, // metadata of most clouds
	{"169.254.170.2", netguard.LinkLocal},
	{"169.254.255.255", netguard.LinkLocal},
	{"169.255.0.0", netguard.Public},
	{"172.15.255.255", netguard.Public},
	{"172.16.0.0", netguard.Private},
	{"172.31.255.255", netguard.Private},
	{"172.32.0.0", netguard.Public},
	{"192.0.0.0", netguard.Reserved},
	{"192.0.0.192", netguard.Reserved}, // metadata of a cloud
	{"192.0.0.255", netguard.Reserved},
	{"192.0.2.1", netguard.Reserved},
	{"192.31.196.1", netguard.Reserved},
	{"192.52.193.1", netguard.Reserved},
	{"192.88.99.1", netguard.Reserved},
	{"192.167.255.255", netguard.Public},
	{"192.168.0.0", netguard.Private},
	{"192.168.255.255", netguard.Private},
	{"192.169.0.0", netguard.Public},
	{"192.175.48.1", netguard.Reserved},
	{"198.17.255.255", netguard.Public},
	{"198.18.0.0", netguard.Reserved},
	{"198.19.255.255", netguard.Reserved},
	{"198.20.0.0", netguard.Public},
	{"198.51.100.7", netguard.Reserved},
	{"203.0.113.9", netguard.Reserved},
	{"223.255.255.255", netguard.Public},
	{"224.0.0.0", netguard.Reserved},
	{"224.0.0.251", netguard.Reserved},
	{"239.255.255.255", netguard.Reserved},
	{"240.0.0.1", netguard.Reserved},
	{"255.255.255.255", netguard.Reserved},
	{"8.8.8.8", netguard.Public},

	{"::", netguard.Reserved},
	{"::1", netguard.Loopback},
	{"::2", netguard.Reserved},
	{"::127.0.0.1", netguard.Loopback}, // compatible
	{"::10.1.2.3", netguard.Private},
	{"::8.8.8.8", netguard.Reserved},
	{"::ffff:127.0.0.1", netguard.Loopback}, // mapped
	{"::ffff:10.0.0.1", netguard.Private},
	{"::ffff:169.254.169.254", netguard.LinkLocal},
	{"::ffff:8.8.8.8", netguard.Reserved},
	{"::ffff:0:127.0.0.1", netguard.Loopback}, // translated
	{"64:ff9b::127.0.0.1", netguard.Loopback}, // NAT64
	{"64:ff9b::192.168.1.1", netguard.Private},
	{"64:ff9b::8.8.8.8", netguard.Reserved},
	{"64:ff9b:1::169.254.169.254", netguard.LinkLocal},
	{"64:ff9b:1:ffff::10.0.0.1", netguard.Private},
	{"100::1", netguard.Reserved},
	{"100:0:0:1::1", netguard.Reserved},
	{"1fff:ffff::", netguard.Reserved},
	{"2000::", netguard.Public},
	{"2001::1", netguard.Reserved},                              // Teredo, inside 255.255.255.254
	{"2001:0:4136:e378:8000:63bf:3f57:fe01", netguard.Private},  // Teredo, inside 192.168.1.254
	{"2001:0:4136:e378:8000:63bf:80ff:fffe", netguard.Loopback}, // Teredo, inside 127.0.0.1
	{"2001:20::1", netguard.Reserved},                           // hashes of keys
	{"2001:2::1", netguard.Reserved},                            // benchmarks
	{"2001:1ff:ffff::1", netguard.Reserved},                     // protocols
	{"2001:200::1", netguard.Public},
	{"2001:db8::1", netguard.Reserved}, // documentation
	{"2001:4860:4860::8888", netguard.Public},
	{"2002:7f00:1::1", netguard.Loopback}, // 6to4
	{"2002:c0a8:101::1", netguard.Private},
	{"2002:a9fe:a9fe::1", netguard.LinkLocal},
	{"2002:808:808::1", netguard.Reserved},
	{"2606:4700::5efe:127.0.0.1", netguard.Loopback},   // ISATAP
	{"2606:4700::200:5efe:10.0.0.1", netguard.Private}, // ISATAP
	{"2606:4700::200:5efe:8.8.8.8", netguard.Reserved}, // ISATAP
	{"2606:4700:4700::1111", netguard.Public},
	{"2620:4f:8000::1", netguard.Reserved},
	{"2a00:1450:4001:81b::200e", netguard.Public},
	{"3ffe::1", netguard.Reserved},
	{"3fff::1", netguard.Reserved}, // documentation
	{"4000::1", netguard.Reserved},
	{"5f00::1", netguard.Reserved}, // segments of routes
	{"fc00::1", netguard.Private},
	{"fd00:ec2::254", netguard.Private}, // metadata of a cloud
	{"fdff:ffff::1", netguard.Private},
	{"fe80::1", netguard.LinkLocal},
	{"fe80::1%eth0", netguard.LinkLocal},
	{"2606:4700:4700::1111%eth0", netguard.Reserved},
	{"febf:ffff::1", netguard.LinkLocal},
	{"fec0::1", netguard.Reserved}, // once an inner network
	{"ff02::1", netguard.Reserved},
	{"ff0e::1", netguard.Reserved},
}

func TestOnlyPublicAddressesAreConnectedTo(t *testing.T) {
	t.Parallel()
	guard, open := netguard.New(netguard.Options{}), netguard.New(netguard.Options{Private: true})
	for _, c := range addresses {
		a := netip.MustParseAddr(c.address)
		if got := netguard.KindOf(a); got != c.want {
			t.Errorf("%s is %s, want %s", c.address, got, c.want)
		}
		err := guard.Check(netip.AddrPortFrom(a, 443))
		if (err == nil) != (c.want == netguard.Public) || err != nil && !errors.Is(err, netguard.ErrRefused) {
			t.Errorf("%s, which is %s: %v", c.address, c.want, err)
		}
		if err := open.Check(netip.AddrPortFrom(a, 8080)); err != nil {
			t.Errorf("%s on one's own machine: %v", c.address, err)
		}
	}
}

func TestOtherPortsAndOurOwnAddressesAreRefused(t *testing.T) {
	t.Parallel()
	own := netip.MustParseAddr("93.184.216.34")
	guard := netguard.New(netguard.Options{Own: []netip.Addr{own}})
	for to, fine := range map[string]bool{
		"93.184.216.34:443": false, "93.184.216.35:443": true, "93.184.216.35:80": false, "93.184.216.35:22": false,
		"[2606:4700:4700::1111]:443": true, "[2606:4700:4700::1111]:8443": false,
	} {
		if err := guard.Check(netip.MustParseAddrPort(to)); (err == nil) != fine {
			t.Errorf("%s: %v, want it allowed: %t", to, err, fine)
		}
	}
	addresses, err := netguard.OwnAddresses()
	if err != nil || len(addresses) == 0 {
		t.Errorf("this machine has the addresses %v, %v", addresses, err)
	}
}

// changing is a name server that gives one address first and another one ever
// after, as attackers do to get past a check.
func changing(first, then netip.Addr) *net.Resolver {
	var asked atomic.Int32
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer theirs.Close()
			var length [2]byte
			for {
				if _, err := io.ReadFull(theirs, length[:]); err != nil {
					return
				}
				query := make([]byte, binary.BigEndian.Uint16(length[:]))
				if _, err := io.ReadFull(theirs, query); err != nil {
					return
				}
				address := then
				if asked.Load() == 0 {
					address = first
				}
				answer, isA := answerTo(query, address)
				if isA {
					asked.Add(1)
				}
				if _, err := theirs.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))),
					answer...)); err != nil {
					return
				}
			}
		}()
		return ours, nil
	}}
}

// answerTo answers questions for A with an address, all others with nothing.
func answerTo(query []byte, address netip.Addr) (answer []byte, isA bool) {
	const header = 12
	end := header
	for query[end] != 0 {
		end += int(query[end]) + 1
	}
	end += 5 // the root, the type and the class
	isA = binary.BigEndian.Uint16(query[end-4:]) == 1
	answer = append([]byte{query[0], query[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, query[header:end]...)
	if isA {
		answer[7] = 1
		answer = append(answer, 0xc0, header, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
		answer = append(answer, address.AsSlice()...)
	}
	return answer, isA
}

func TestANameThatTurnsPrivateIsNotConnectedTo(t *testing.T) {
	t.Parallel()
	reached := atomic.Bool{}
	receiver := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		reached.Store(true)
	}))
	defer receiver.Close()
	resolver := changing(netip.MustParseAddr("93.184.216.34"), netip.MustParseAddr("127.0.0.1"))
	looked, err := resolver.LookupNetIP(t.Context(), "ip4", "rebind.platen.dev")
	if err != nil || len(looked) != 1 || netguard.KindOf(looked[0].Unmap()) != netguard.Public {
		t.Fatalf("the first look finds %v, %v; it must be harmless", looked, err)
	}
	transport := netguard.New(netguard.Options{Resolver: resolver}).Transport()
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		"https://rebind.platen.dev/hook", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := transport.RoundTrip(request)
	if err == nil {
		answer.Body.Close()
	}
	if !errors.Is(err, netguard.ErrRefused) || reached.Load() {
		t.Errorf("the connection: %v, want it refused; something was reached: %t", err, reached.Load())
	}
}

func TestOnOnesOwnMachineALocalReceiverIsReached(t *testing.T) {
	t.Parallel()
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "" {
			t.Errorf("the request wants the compression %q", r.Header.Get("Accept-Encoding"))
		}
		http.Redirect(w, r, "/elsewhere", http.StatusFound)
	}))
	defer receiver.Close()
	for private, wanted := range map[bool]bool{true: true, false: false} {
		transport := netguard.New(netguard.Options{Private: private}).Transport()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, receiver.URL, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := transport.RoundTrip(request)
		if (err == nil) != wanted {
			t.Errorf("private %t: %v", private, err)
		}
		if err == nil {
			answer.Body.Close()
			if answer.StatusCode != http.StatusFound {
				t.Errorf("the redirect was followed: %d", answer.StatusCode)
			}
		}
		transport.CloseIdleConnections()
	}
}

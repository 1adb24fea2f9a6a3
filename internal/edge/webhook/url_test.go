package webhook_test

import (
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"platen/internal/edge/webhook"
)

var long = "https://example.com/" + strings.Repeat("a", 2048-len("https://example.com/"))

// refused are URLs with the reason that their creator is told.
var refused = []struct {
	url  string
	want webhook.Reason
}{
	{"", webhook.Unparsable},
	{"example.com/hook", webhook.SchemeNotHTTPS},
	{"//example.com/hook", webhook.SchemeNotHTTPS},
	{"http://example.com/hook", webhook.SchemeNotHTTPS},
	{"ftp://example.com/", webhook.SchemeNotHTTPS},
	{"file:///etc/passwd", webhook.SchemeNotHTTPS},
	{"javascript:alert(1)", webhook.SchemeNotHTTPS},
	{"gopher://127.0.0.1:70/", webhook.SchemeNotHTTPS},
	{"https", webhook.SchemeNotHTTPS},
	{"httpss://example.com/", webhook.SchemeNotHTTPS},
	{"https:", webhook.Unparsable},
	{"https://", webhook.Unparsable},
	{"https:///hook", webhook.Unparsable},
	{"https://:443/", webhook.Unparsable},
	{"https:example.com", webhook.Unparsable},
	{"https:/example.com", webhook.Unparsable},
	{"://example.com", webhook.Unparsable},
	{" https://example.com/", webhook.Unparsable},
	{"https://example.com/\n", webhook.Unparsable},
	{"https://exa\tmple.com/", webhook.Unparsable},
	{"https://example.com/a b", webhook.Unparsable},
	{"https://example.com\\@127.0.0.1/", webhook.Unparsable},
	{"https://example.com/\x00", webhook.Unparsable},
	{"https://example.com/\x7f", webhook.Unparsable},
	{"https://example.com/\u00fc", webhook.Unparsable},
	{"https://example.com/\xff", webhook.Unparsable},
	{"https://example.com/%zz", webhook.Unparsable},
	{"https://exa%6dple.com/", webhook.Unparsable},
	{"https://[::1/", webhook.Unparsable},
	{"https://example.com:abc/", webhook.Unparsable},
	{long + "a", webhook.TooLong},
	{"https://user@example.com/", webhook.HasUserinfo},
	{"https://user:password@example.com/", webhook.HasUserinfo},
	{"https://@example.com/", webhook.HasUserinfo},
	{"https://example.com:443@127.0.0.1/", webhook.HasUserinfo},
	{"https://127.0.0.1@example.com/", webhook.HasUserinfo},
	{"https://example.com/#part", webhook.HasFragment},
	{"https://example.com#@127.0.0.1/", webhook.HasFragment},
	{"https://example.com:80/", webhook.PortNotAllowed},
	{"https://example.com:8443/", webhook.PortNotAllowed},
	{"https://example.com:0/", webhook.PortNotAllowed},
	{"https://example.com:/", webhook.PortNotAllowed},
	{"https://example.com:0443/", webhook.PortNotAllowed},
	{"https://example.com:65979/", webhook.PortNotAllowed}, // 443 in 16 bits
	{"https://example.com:99999999999999999999/", webhook.PortNotAllowed},
	{"https://example..com/", webhook.HostnameInvalid},
	{"https://.example.com/", webhook.HostnameInvalid},
	{"https://example.com./", webhook.HostnameInvalid},
	{"https://-example.com/", webhook.HostnameInvalid},
	{"https://example-.com/", webhook.HostnameInvalid},
	{"https://exa$mple.com/", webhook.HostnameInvalid},
	{"https://exam,ple.com/", webhook.HostnameInvalid},
	{"https://" + strings.Repeat("a", 64) + ".com/", webhook.HostnameInvalid},
	{"https://" + strings.Repeat("abc.", 64) + "com/", webhook.HostnameInvalid},
	{"https://b\u00fccher.de/", webhook.HostnameNotASCII},
	{"https://\uff11\uff12\uff17.0.0.1/", webhook.HostnameNotASCII}, // wide digits
	{"https://127\u30020\u30020\u30021/", webhook.HostnameNotASCII}, // ideographic dots
	{"https://exam\u00adple.com/", webhook.HostnameNotASCII},        // a soft hyphen
	{"https://localhost/", webhook.HostnameNotPublic},
	{"https://LOCALHOST/", webhook.HostnameNotPublic},
	{"https://localhost./", webhook.HostnameInvalid},
	{"https://intranet/", webhook.HostnameNotPublic},
	{"https://com/", webhook.HostnameNotPublic},
	{"https://printer.local/", webhook.HostnameNotPublic},
	{"https://api.localhost/", webhook.HostnameNotPublic},
	{"https://metadata.google.internal/", webhook.HostnameNotPublic},
	{"https://hook.test/", webhook.HostnameNotPublic},
	{"https://hook.invalid/", webhook.HostnameNotPublic},
	{"https://hook.example/", webhook.HostnameNotPublic},
	{"https://abc.onion/", webhook.HostnameNotPublic},
	{"https://nas.home.arpa/", webhook.HostnameNotPublic},
	{"https://box.lan/", webhook.HostnameNotPublic},
	{"https://db.corp/", webhook.HostnameNotPublic},
	{"https://localhost.localdomain/", webhook.HostnameNotPublic},
	{"https://1.0.0.127.in-addr.arpa/", webhook.HostnameNotPublic},
	{"https://platen.example.com/hook", webhook.OwnHost},
	{"https://PLATEN.example.com:443/hook", webhook.OwnHost},
	{"https://93.184.216.34/", webhook.OwnHost},
	{"https://127.1/", webhook.AddressNotCanonical},
	{"https://0/", webhook.AddressNotCanonical},
	{"https://2130706433/", webhook.AddressNotCanonical},
	{"https://017700000001/", webhook.AddressNotCanonical},
	{"https://0x7f000001/", webhook.AddressNotCanonical},
	{"https://0x7F.1/", webhook.AddressNotCanonical},
	{"https://0x7f.0x0.0x0.0x1/", webhook.AddressNotCanonical},
	{"https://0x/", webhook.AddressNotCanonical},
	{"https://0177.0.0.1/", webhook.AddressNotCanonical},
	{"https://127.0.0.01/", webhook.AddressNotCanonical},
	{"https://127.0.0.1./", webhook.AddressNotCanonical},
	{"https://127.0.1/", webhook.AddressNotCanonical},
	{"https://1.2.3.4.5/", webhook.AddressNotCanonical},
	{"https://256.256.256.256/", webhook.AddressNotCanonical},
	{"https://8.8.8.0x8/", webhook.AddressNotCanonical},
	{"https://example.0x7f/", webhook.AddressNotCanonical},
	{"https://[fe80::1%25eth0]/", webhook.AddressNotCanonical},
	{"https://[::1%25lo]/", webhook.AddressNotCanonical},
	{"https://[127.0.0.1]/", webhook.Unparsable},
	{"https://127.0.0.1/", webhook.AddressLoopback},
	{"https://127.255.255.254/", webhook.AddressLoopback},
	{"https://[::1]/", webhook.AddressLoopback},
	{"https://[0:0:0:0:0:0:0:1]/", webhook.AddressLoopback},
	{"https://[::ffff:127.0.0.1]/", webhook.AddressLoopback},
	{"https://[::ffff:7f00:1]/", webhook.AddressLoopback},
	{"https://[::127.0.0.1]/", webhook.AddressLoopback},
	{"https://[64:ff9b::7f00:1]/", webhook.AddressLoopback},
	{"https://[2002:7f00:1::]/", webhook.AddressLoopback},
	{"https://10.0.0.1/", webhook.AddressPrivate},
	{"https://172.16.5.4/", webhook.AddressPrivate},
	{"https://192.168.1.1/", webhook.AddressPrivate},
	{"https://100.64.0.1/", webhook.AddressPrivate},
	{"https://[fd00:ec2::254]/", webhook.AddressPrivate},
	{"https://169.254.169.254/latest/meta-data/", webhook.AddressLinkLocal},
	{"https://[fe80::1]/", webhook.AddressLinkLocal},
	{"https://0.0.0.0/", webhook.AddressReserved},
	{"https://255.255.255.255/", webhook.AddressReserved},
	{"https://224.0.0.1/", webhook.AddressReserved},
	{"https://192.0.2.1/", webhook.AddressReserved},
	{"https://168.63.129.16/", webhook.AddressReserved},
	{"https://[::]/", webhook.AddressReserved},
	{"https://[2001:db8::1]/", webhook.AddressReserved},
	{"https://[::ffff:8.8.8.8]/", webhook.AddressReserved},
}

var public = webhook.Policy{OwnHosts: []string{"platen.example.com", "93.184.216.34"}}

func TestURLsThatBreakARuleAreRefusedForIt(t *testing.T) {
	t.Parallel()
	met := map[webhook.Reason]bool{}
	for _, c := range refused {
		host, got := webhook.CheckURL(c.url, public)
		if got != c.want || host != "" {
			t.Errorf("%q: host %q, reason %q, want %q", c.url, host, got, c.want)
		}
		met[c.want] = true
	}
	for _, reason := range webhook.Reasons() {
		if !met[reason] || !strings.HasSuffix(reason.Sentence(), ".") {
			t.Errorf("%s is refused in this table: %t; it says %q", reason, met[reason], reason.Sentence())
		}
	}
}

func TestURLsThatKeepTheRulesAreTakenAndShowTheirHost(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"https://example.com":                            "example.com",
		"https://example.com/":                           "example.com",
		"HTTPS://Hooks.Example.COM/a/b?token=x&y=%C3%BC": "hooks.example.com",
		"https://example.com:443/hook":                   "example.com",
		"https://xn--bcher-kva.de/":                      "xn--bcher-kva.de",
		"https://my_app.example.com/":                    "my_app.example.com",
		"https://8.8.8.8/":                               "8.8.8.8",
		"https://[2606:4700:4700::1111]/":                "2606:4700:4700::1111",
		"https://1.example.com/":                         "1.example.com",
		"https://example.com.au/@x":                      "example.com.au",
		"https://notlocalhost.com/":                      "notlocalhost.com",
		"https://127.0.0.1.nip.io/":                      "127.0.0.1.nip.io", // private once it is looked up
		"https://not-platen.example.com/":                "not-platen.example.com",
		long:                                             "example.com",
	} {
		if host, refusal := webhook.CheckURL(raw, public); host != want || refusal != "" {
			t.Errorf("%q: host %q, reason %q, want the host %q", raw, host, refusal, want)
		}
	}
}

func TestOnOnesOwnMachineMoreIsTaken(t *testing.T) {
	t.Parallel()
	private := webhook.Policy{Private: true, OwnHosts: []string{"127.0.0.1"}}
	for raw, want := range map[string]string{
		"http://127.0.0.1:9000/hook":  "127.0.0.1:9000",
		"http://localhost:3000/":      "localhost:3000",
		"http://receiver/":            "receiver",
		"http://receiver:80/":         "receiver",
		"https://receiver:443/":       "receiver",
		"http://receiver:443/":        "receiver:443",
		"https://[::1]:8443/":         "[::1]:8443",
		"http://192.168.1.20/":        "192.168.1.20",
		"http://host.docker.internal": "host.docker.internal",
	} {
		if host, refusal := webhook.CheckURL(raw, private); host != want || refusal != "" {
			t.Errorf("%q: host %q, reason %q, want the host %q", raw, host, refusal, want)
		}
	}
	for raw, want := range map[string]webhook.Reason{
		"ftp://127.0.0.1/":         webhook.SchemeNotHTTPS,
		"http://u:p@127.0.0.1/":    webhook.HasUserinfo,
		"http://127.0.0.1:0/":      webhook.PortNotAllowed,
		"http://127.0.0.1:65536/":  webhook.PortNotAllowed,
		"http://127.1/":            webhook.AddressNotCanonical,
		"http://localhost/#x":      webhook.HasFragment,
		"http://[fe80::1%25eth0]/": webhook.AddressNotCanonical,
	} {
		if host, refusal := webhook.CheckURL(raw, private); host != "" || refusal != want {
			t.Errorf("%q: host %q, reason %q, want %q", raw, host, refusal, want)
		}
	}
}

// FuzzCheckURL: whatever is sent, the answer is a host or a reason; and the host
// that is shown is the one that a client would connect to.
func FuzzCheckURL(f *testing.F) {
	for _, c := range refused {
		f.Add(c.url, false)
		f.Add(c.url, true)
	}
	f.Add("https://example.com:443/hook?x=1", false)
	f.Add("http://[::1]:8080/", true)
	f.Fuzz(func(t *testing.T, raw string, private bool) {
		host, refusal := webhook.CheckURL(raw, webhook.Policy{Private: private})
		if (host == "") != (refusal != "") {
			t.Fatalf("%q: host %q and reason %q", raw, host, refusal)
		}
		if refusal != "" {
			return
		}
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatalf("%q was taken and cannot be read: %v", raw, err)
		}
		if again, err := url.Parse(u.String()); err != nil || again.Host != u.Host ||
			again.RequestURI() != u.RequestURI() {
			t.Fatalf("%q is %q when it is written again: %v", raw, again, err)
		}
		request, err := http.NewRequest(http.MethodPost, raw, http.NoBody)
		if err != nil {
			t.Fatalf("%q was taken and cannot be requested: %v", raw, err)
		}
		shown := host
		if name, _, err := net.SplitHostPort(host); err == nil {
			shown = name
		}
		if dialled := strings.ToLower(request.URL.Hostname()); dialled != shown {
			t.Fatalf("%q shows %q and connects to %q", raw, shown, dialled)
		}
	})
}

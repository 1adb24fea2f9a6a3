package contract

import (
	"net/http"
	"strings"
	"testing"
)

// refusedURLs are URLs with the reason that each is refused for.
var refusedURLs = map[string]string{
	"http://hooks.example.com/": "scheme_not_https", "ftp://hooks.example.com/": "scheme_not_https",
	"HTTP://hooks.example.com": "scheme_not_https", "hooks.example.com/path": "scheme_not_https",
	"//hooks.example.com/": "scheme_not_https", "javascript:alert(1)": "scheme_not_https",
	"file:///etc/passwd": "scheme_not_https", "unix:///run/docker.sock": "scheme_not_https",
	"gopher://hooks.example.com/": "scheme_not_https", "https://hooks.example.com:8443/": "port_not_allowed",
	"https://hooks.example.com:80/": "port_not_allowed", "https://hooks.example.com:0/": "port_not_allowed",
	"https://hooks.example.com:65536/": "port_not_allowed", "https://hooks.example.com:22/": "port_not_allowed",
	"https://hooks.example.com:/": "port_not_allowed", "https://user@hooks.example.com/": "userinfo_not_allowed",
	"https://user:pass@hooks.example.com/": "userinfo_not_allowed",
	"https://@hooks.example.com/":          "userinfo_not_allowed",
	"https://127.0.0.1@hooks.example.com/": "userinfo_not_allowed",
	"https://localhost/":                   "hostname_not_public", "https://LOCALHOST/": "hostname_not_public",
	"https://printer.local/": "hostname_not_public", "https://db.internal/": "hostname_not_public",
	"https://metadata.google.internal/": "hostname_not_public", "https://intranet/": "hostname_not_public",
	"https://router.lan/": "hostname_not_public", "https://nas.home.arpa/": "hostname_not_public",
	"https://a.test/": "hostname_not_public", "https://a.invalid/": "hostname_not_public",
	"https://a.onion/": "hostname_not_public", "https://foo.localhost/": "hostname_not_public",
	"https://127.0.0.1/": "address_loopback", "https://127.255.255.254/": "address_loopback",
	"https://[::1]/": "address_loopback", "https://[::ffff:127.0.0.1]/": "address_loopback",
	"https://10.0.0.1/": "address_private", "https://172.16.0.1/": "address_private",
	"https://192.168.1.1/": "address_private", "https://[fd00::1]/": "address_private",
	"https://[::ffff:10.0.0.1]/": "address_private",
	"https://169.254.169.254/":   "address_link_local", "https://[fe80::1]/": "address_link_local",
	"https://0.0.0.0/": "", "https://255.255.255.255/": "",
	"https://100.64.0.1/": "", "https://192.0.2.1/": "", "https://198.18.0.1/": "", "https://224.0.0.1/": "",
	"https://168.63.129.16/": "", "https://[::]/": "", "https://[ff02::1]/": "", "https://[64:ff9b::7f00:1]/": "",
	"https://[2002:7f00:1::]/": "", "https://[2001:db8::1]/": "", "https://2130706433/": "address_not_canonical",
	"https://0x7f000001/": "address_not_canonical", "https://0177.0.0.1/": "address_not_canonical",
	"https://127.1/": "address_not_canonical", "https://0x7f.1/": "address_not_canonical",
	"https://[fe80::1%25eth0]/": "", "https://127.0.0.1./": "", "https://": "url_unparsable",
	"https:///path": "url_unparsable", "https:hooks.example.com": "url_unparsable", "https://[::1": "url_unparsable",
	"https://hooks.example.com/%zz": "url_unparsable", `https:\\hooks.example.com\`: "url_unparsable",
	"https://hooks.example.com/ path": "url_unparsable", " https://hooks.example.com/": "url_unparsable",
	"https://hööks.example.com/": "hostname_not_ascii", "https://hooks。example。com/": "hostname_not_ascii",
	"https://①②⑦.0.0.1/": "", "https://hooks..example.com/": "hostname_invalid",
	"https://exa\tmple.com/": "url_unparsable", "https://exa\nmple.com/": "url_unparsable", "": "url_unparsable",
	"https://hooks.example.com/\x00": "url_unparsable", "https://hooks.example.com/\u0085": "url_unparsable",
	"https://-hooks.example.com/": "hostname_invalid", "https://hooks.example.com/#part": "fragment_not_allowed",
}

func TestURLsThatAreNotPublicAreRefusedAtCreation(t *testing.T) {
	t.Parallel()
	rows(t, "WHK.URL.HTTPS", "WHK.URL.PORT", "WHK.URL.USERINFO",
		"WHK.URL.PUBLIC", "WHK.URL.REJECTED", "WHK.URL.REASON.SCHEME", "WHK.URL.REASON.PORT", "WHK.URL.REASON.HOSTNAME",
		"ERR.WEBHOOK_URL_REJECTED", "OPEN.WHK.URL.WHEN", "OPEN.WHK.URL.TEXT")
	n := shared.create(t, `{"clock":"manual"}`)
	if len(refusedURLs) < 50 {
		t.Fatalf("only %d URLs are tried", len(refusedURLs))
	}
	for url, reason := range refusedURLs {
		a := n.post("/webhooks", encode(t, object{"url": url, "events": []string{"*"}})).
			want(http.StatusUnprocessableEntity, "webhook_url_rejected")
		if got := text(a.details(), "reason"); got == "" || reason != "" && got != reason {
			t.Errorf("%q is refused for %q, want %q", url, got, reason)
		}
	}
	if list := n.all("/webhooks"); len(list) != 0 {
		t.Errorf("refused URLs made %v", list)
	}
	origin := strings.TrimPrefix(shared.Origin, "http://")
	n.post("/webhooks", `{"url":"https://`+origin+`/","events":["*"]}`).
		want(http.StatusUnprocessableEntity, "webhook_url_rejected")
	for _, url := range []string{
		"https://hooks.example.com", "https://HOOKS.example.com:443/a?b=c", "https://8.8.8.8/",
	} {
		s := n.subscribe(url, `"*"`)
		if host := text(s, "url_host"); host != "hooks.example.com" && host != "8.8.8.8" {
			t.Errorf("%s is shown as %s", url, host)
		}
	}
}

// TestANameThatLeadsNowhereIsNotReached: creation takes it by its text.
func TestANameThatLeadsNowhereIsNotReached(t *testing.T) {
	t.Parallel()
	n := shared.create(t, `{"clock":"manual"}`)
	s := n.subscribe("https://no-such-name.example.com/", `"*"`)
	test := n.test(text(s, "id"))
	if test["delivered"] != false || test["status_code"] != nil || test["status"] != "pending_verification" ||
		test["error_class"] == nil {
		t.Errorf("the test says %v", test)
	}
}

package serverjson

import (
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
)

// nameMost is the most characters of a name.
const nameMost = 200

// check rejects what a registry would reject. Its forms are made here, and not at each start
// of the program.
func (l Listing) check() error {
	// names are a namespace, which is a domain backwards, and the name in it.
	names := regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9.-]*[a-zA-Z0-9]/[a-zA-Z0-9][a-zA-Z0-9._-]*[a-zA-Z0-9]$`)
	// images are a registry, a repository, and a tag or a digest.
	images := regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+(:\d{1,5})?(/[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*)+` +
		`((:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?@sha256:[a-f0-9]{64}|:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})$`)
	switch {
	case !names.MatchString(l.Name) || len(l.Name) > nameMost:
		return fmt.Errorf("name must be a domain backwards, a slash and a name, such as io.github.you/platen, not %q",
			l.Name)
	case !images.MatchString(l.Image):
		return fmt.Errorf("image must have its registry and a tag or a digest, such as ghcr.io/you/platen:0.1.0, "+
			"not %q", l.Image)
	case strings.HasSuffix(l.Image, ":latest"):
		return fmt.Errorf("image must have the tag of one version, not latest, which moves: %q", l.Image)
	case l.URL != "":
		return checkURL(l.URL)
	}
	return nil
}

// checkURL rejects a URL that is not that of a server which anybody can reach.
func checkURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" ||
		u.Fragment != "" || !strings.HasSuffix(u.Path, endpoint) || strings.ContainsAny(text, "{}?#") {
		return fmt.Errorf("url must be that of the agent endpoint, such as https://platen.example%s, not %q",
			endpoint, text)
	}
	host := strings.ToLower(u.Hostname())
	address, err := netip.ParseAddr(host)
	here := host == "localhost" || strings.HasSuffix(host, ".localhost")
	if here || err == nil && (!address.IsGlobalUnicast() || address.IsPrivate()) {
		return fmt.Errorf("url must be one that others can reach, not %q", text)
	}
	return nil
}

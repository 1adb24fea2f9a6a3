package main

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"platen/client"
	"platen/internal/config"
)

// Variables in which commands look for a server and its keys when no flag names
// them, in the environment and then in a .env file. platen new writes them and
// the examples read them.
const (
	urlVariable     = "PLATEN_URL"
	officeVariable  = "PLATEN_OFFICE_KEY"
	factoryVariable = "PLATEN_FACTORY_KEY"
)

var errNoKeys = errors.New("there is no key: give one with --key, or set PLATEN_OFFICE_KEY or PLATEN_FACTORY_KEY, in " +
	"the environment or a .env file (platen new --env .env writes one)")

// place is a server and the keys of a sandbox there.
type place struct {
	server, key string
}

// flags adds the flags that name a place.
func (p *place) flags(cmd *cobra.Command, keys bool) {
	cmd.Flags().StringVar(&p.server, "server", "",
		"Origin of the server; from PLATEN_URL, or else "+defaultOrigin+", when empty.")
	if keys {
		cmd.Flags().StringVar(&p.key, "key", "",
			"Key of the sandbox; from PLATEN_OFFICE_KEY and PLATEN_FACTORY_KEY, or PLATEN_KEY, when empty.")
	}
}

// origin returns the server's, without a slash at its end.
func (p *place) origin() (string, error) {
	given, err := config.Secret(p.server, urlVariable)
	if err != nil {
		return "", err //nolint:wrapcheck // the error names the variable
	}
	origin := strings.TrimSuffix(strings.TrimRight(given, "/"), client.BasePath)
	switch {
	case origin == "":
		return defaultOrigin, nil
	case !strings.HasPrefix(origin, "http://") && !strings.HasPrefix(origin, "https://"):
		return "", usageError{fmt.Errorf("the server must be an origin such as %s, not %q", defaultOrigin, given)}
	}
	return origin, nil
}

// keys returns the keys that can be found. One that a flag names comes alone.
func (p *place) keys() (client.Keys, error) {
	if p.key != "" {
		return keysOf(p.key), nil
	}
	var found client.Keys
	var err error
	if found.Office, err = oneOf(officeVariable, "OFFICE_KEY"); err != nil {
		return found, err
	}
	if found.Factory, err = oneOf(factoryVariable, "FACTORY_KEY"); err != nil {
		return found, err
	}
	if found.Office != "" || found.Factory != "" {
		return found, nil
	}
	one, err := config.Secret("", keyVariable)
	if err != nil {
		return found, err //nolint:wrapcheck // the error names the variable
	}
	if one == "" {
		return found, usageError{errNoKeys}
	}
	return keysOf(one), nil
}

// oneOf finds a key under its name, or under the one that it had before.
func oneOf(variable, before string) (string, error) {
	for _, name := range []string{variable, before} {
		if value, err := config.Secret("", name); err != nil || value != "" {
			return value, err //nolint:wrapcheck // the error names the variable
		}
	}
	return "", nil
}

// connect returns a client for the sandbox.
func (p *place) connect() (*client.Client, string, error) {
	origin, err := p.origin()
	if err != nil {
		return nil, "", err
	}
	keys, err := p.keys()
	if err != nil {
		return nil, "", err
	}
	return client.New(origin+client.BasePath, keys, client.UserAgent("platen-cli"), client.MaxElapsed(time.Minute),
		client.HTTPClient(&http.Client{Timeout: pollTimeout})), origin, nil
}

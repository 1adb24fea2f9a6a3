package config

import (
	"net"
	"os"
	"slices"
	"strings"
)

// UnknownVariables lists the environment variables that look like settings and
// are none.
func (c *Config) UnknownVariables() []string {
	known := []string{FileVariable}
	for _, f := range c.Fields() {
		known = append(known, f.Variable())
	}
	var unknown []string
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "PLATEN_") && !slices.Contains(known, name) &&
			!slices.Contains(clientVariables, name) && !strings.HasPrefix(name, "PLATEN_TEST_") {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	return unknown
}

// OriginHere is that of a server on this machine whose setting listen is in the environment, as in a container; empty
// where it is not.
func OriginHere() string {
	host, port, err := net.SplitHostPort(os.Getenv("PLATEN_LISTEN"))
	if err != nil {
		return ""
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// clientVariables are those of the commands and examples that call a server.
//
//nolint:gochecknoglobals // read only
var clientVariables = []string{
	"PLATEN_URL", "PLATEN_KEY", "PLATEN_OFFICE_KEY", "PLATEN_FACTORY_KEY", "PLATEN_GRADING_KEY", "PLATEN_MCP_URL",
	"PLATEN_WEBHOOK_SECRET",
}

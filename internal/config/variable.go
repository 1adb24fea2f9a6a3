package config

import (
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

// clientVariables are those of the commands and examples that call a server.
//
//nolint:gochecknoglobals // read only
var clientVariables = []string{
	"PLATEN_URL", "PLATEN_KEY", "PLATEN_OFFICE_KEY", "PLATEN_FACTORY_KEY", "PLATEN_GRADING_KEY", "PLATEN_MCP_URL",
	"PLATEN_WEBHOOK_SECRET",
}

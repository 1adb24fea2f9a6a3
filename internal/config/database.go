package config

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

var (
	postgresURL = regexp.MustCompile(`^(?i:postgres|postgresql)://`)
	// A single letter is a drive of Windows.
	scheme = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]+):`)
	// parameter begins a connection string of libpq.
	parameter = regexp.MustCompile(`^\s*[A-Za-z_]+\s*=`)
	// halfURL is a URL without its scheme, or without the colon after it.
	halfURL = regexp.MustCompile(`^[A-Za-z]*//`)
)

// Postgres reports whether the database is a PostgreSQL server.
func (c *Config) Postgres() bool { return postgresURL.MatchString(c.Database) }

// DatabaseURL is the address of the PostgreSQL server, its scheme in lower case.
func (c *Config) DatabaseURL() string {
	return postgresURL.ReplaceAllStringFunc(c.Database, strings.ToLower)
}

// CheckDatabase refuses what names a database in another way than a path or the URL of a PostgreSQL server: a file of
// that name would be created where an operator does not look. The error has no password.
func (c *Config) CheckDatabase() error {
	const forms = "name a SQLite file by its path, such as data/platen.db, or a PostgreSQL server by its URL, such " +
		"as postgres://user@host/name. A file with an odd name begins with ./"
	found := scheme.FindStringSubmatch(c.Database)
	switch {
	case c.Database == "":
		return errors.New("database must not be empty")
	case c.Postgres():
		return nil
	case found != nil && (strings.EqualFold(found[1], "postgres") || strings.EqualFold(found[1], "postgresql")):
		return fmt.Errorf("database begins with %s, without // behind it: %s", found[0], forms)
	case found != nil:
		return fmt.Errorf("database begins with %s, which Platen has no database for: %s", found[0], forms)
	case halfURL.MatchString(c.Database):
		return fmt.Errorf("database is a part of a URL: %s", forms)
	case strings.HasPrefix(c.Database, ":"):
		return fmt.Errorf("database begins with a colon, and Platen keeps none in memory: %s", forms)
	case parameter.MatchString(c.Database):
		return fmt.Errorf("database is a list of parameters (%s…): %s",
			strings.TrimSpace(parameter.FindString(c.Database)), forms)
	case strings.HasPrefix(c.Database, "~"):
		return fmt.Errorf("database begins with ~, which the shell has not replaced: write the whole path")
	}
	return nil
}

// Place names the database for people: without the user, the password and the
// parameters of an address.
func (c *Config) Place() string {
	if !c.Postgres() {
		return c.Database
	}
	u, err := url.Parse(c.DatabaseURL())
	if err != nil {
		return "PostgreSQL"
	}
	return "PostgreSQL " + u.Host + u.Path
}

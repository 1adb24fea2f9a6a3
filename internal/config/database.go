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
	// login is a user and a password before a host.
	login = regexp.MustCompile(`^[^/\\:]+:[^/\\]*@`)
)

// misread reports whether programs differ in what they take for the password of a URL, so that a part of it could be
// taken for the name of a host or of a database, which errors name: an @ may only end the user and the password, and
// nothing before it may end the authority.
func misread(address string) bool {
	_, rest, _ := strings.Cut(address, "://")
	before, after, found := strings.Cut(rest, "@")
	return strings.Contains(rest, "#") || found && (strings.ContainsAny(before, "/?") || strings.Contains(after, "@"))
}

// encode is how to write a URL that is not misread.
const encode = "in a user, a password or a name encode @ as %40, / as %2F, ? as %3F and # as %23"

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
	case c.Postgres() && misread(c.Database):
		return errors.New("database is a URL that can be read in two ways: " + encode)
	case c.Postgres():
		return nil
	case found != nil && (strings.EqualFold(found[1], "postgres") || strings.EqualFold(found[1], "postgresql")):
		return fmt.Errorf("database begins with %s, without // behind it: %s", found[0], forms)
	case found != nil:
		return fmt.Errorf("database begins with %s, which Platen has no database for: %s", found[0], forms)
	case login.MatchString(c.Database):
		return fmt.Errorf("database is the end of a URL: %s", forms)
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

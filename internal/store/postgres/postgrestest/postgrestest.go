// Package postgrestest starts PostgreSQL servers for tests, from the programs that the
// machine has.
package postgrestest

import (
	"errors"
	"net/url"
	"strings"
)

// ErrNoServer is why tests are skipped.
var ErrNoServer = errors.New("no PostgreSQL server program: looked for initdb and postgres " +
	"in the PATH and in /usr/lib/postgresql/*/bin (Debian: apt-get install postgresql)")

// Directory is where the socket of the server is.
func (c *Cluster) Directory() string { return c.directory }

// URL is the address of the database in a server whose socket is in a directory, or in
// whichever of several servers takes writes.
func URL(directories ...string) string {
	return "postgres://platen@/postgres?" + url.Values{"host": {strings.Join(directories, ",")}}.Encode()
}

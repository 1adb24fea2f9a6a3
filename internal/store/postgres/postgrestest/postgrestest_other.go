//go:build !unix

package postgrestest

// A Cluster is a PostgreSQL server of our own, which is started on Unix only.
type Cluster struct{ directory string }

// Start returns ErrNoServer.
func Start() (*Cluster, error) { return nil, ErrNoServer }

// Standby returns ErrNoServer.
func (c *Cluster) Standby() (*Cluster, error) { return nil, ErrNoServer }

// Promote does nothing.
func (c *Cluster) Promote() error { return nil }

// Crash does nothing.
func (c *Cluster) Crash() error { return nil }

// Stop does nothing.
func (c *Cluster) Stop() {}

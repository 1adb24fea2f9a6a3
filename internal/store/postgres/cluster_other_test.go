//go:build !unix

package postgres

// A cluster is a PostgreSQL server of our own, which the tests start on Unix
// only.
type cluster struct{ directory string }

func startCluster() (*cluster, error) { return nil, errNoServer }

func (c *cluster) stop() {}

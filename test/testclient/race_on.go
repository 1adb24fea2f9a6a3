//go:build race

package testclient

// underRace says that the race detector is on.
const underRace = true

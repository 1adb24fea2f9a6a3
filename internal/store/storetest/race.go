//go:build race

package storetest

// underRace is whether the race detector is on: each history takes ten times as
// long under it, and has its writers meet as often.
const underRace = true

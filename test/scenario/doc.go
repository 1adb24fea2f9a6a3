// Package scenario plays companies from outside, with whole programs: the
// reference integrations of examples/, run as their users run them.
//
// A player decides and carries nothing. In a company with the auto bridge that
// is enough; in its twin with the manual bridge an integration runs after each
// of the player's steps. At the end both must have lived the same life, also
// when the integration was killed at every call, and when its line was bad. The
// costs of a wrong integration are here, too.
package scenario

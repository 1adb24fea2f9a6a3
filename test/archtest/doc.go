// Package archtest checks the rules of the layout that a compiler does not
// check. It has no code, only tests, each of them with its reason:
//
//   - imports_test.go: which package may import which, ours and foreign.
//   - purity_test.go: imports and calls that the company must not have,
//     so that it replays alike on every machine.
//   - shape_test.go: names, package comments, sizes, package variables.
//   - document_test.go: exported names are documented, cited rows exist.
//   - catalogue_test.go: problem codes and event types are whole, and are
//     those of the contract but for the rows that are owed.
//
// # When a rule is in the way
//
// A new package gets a line in the table `may`, a new dependency one in the
// table `foreign` and in docs/adr/0001-dependencies.md. Exceptions to sizes and
// package variables are written where they are, with the comment that the
// linters read as well, and always with a reason:
//
//	func table() []row { //nolint:funlen // one row per event type
//	var words = []string{ //nolint:gochecknoglobals // the table itself
//	//revive:disable:file-length-limit one row per event type
//
// The other rules have no exceptions. To change one, change its test, and say
// why in the commit.
package archtest

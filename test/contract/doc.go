// Package contract holds Platen to docs/reference/contract.md. Its tests are a
// client like any other: they start a whole server, know only its address and
// its keys, and assert on what comes back.
//
// Each test says with rows(t, ...) which rows of the contract it proves, so a
// failing test names the promise that broke. TestEveryRowHasATest reads these
// calls and fails when a row has neither a test nor a line in owed.txt.
//
// Three things are checked on every response of every test, in answer_test.go:
// that it keeps the rules of the envelope, that it fits the server's own
// OpenAPI document with no field that is not documented there, and that fields
// of one kind (money, times, ids) always look alike.
//
// Error codes are noted, and a run of the whole suite in which no response had
// some error code of the contract fails: a code that never occurs is no
// promise. Codes whose rows are owed are no part of that.
package contract

// Package books holds an accountant from outside. A random client plays a company through the API; afterwards the
// books are recomputed from the rows of both systems and from the feed alone, by the rules of the contract
// (docs/reference/contract.md), the handbook and the descriptions of the fields. Nothing here shares code with the
// company: an error in its own checks is not repeated.
//
// Everything is in test files: a life is played by player, read by open, and judged by audit, which counts each check
// under its name, so that one that never has a case is noticed.
package books

// Package tokens measures what thirty days of play cost an agent: how many calls, and how many
// tokens of a public tokenizer are in what it writes and reads. The same rules play twice over
// the agent endpoint: with lists and one call for each command, every hour, and with lines and
// commands together. `go test -C eval/tokens -v` prints what each way of playing takes (ADR 13).
//
// It is a module of its own, so that the tokenizer is no dependency of the program.
package tokens

// Package mcp holds the agent endpoint to its protocol as its clients speak it:
// the official clients in Go and TypeScript play a company from an order to its
// money across a restart of the server, and the official conformance suite is
// run on the shipped binary and on fixtures behind the same gateway.
package mcp

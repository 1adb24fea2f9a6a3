// Package bounds drives the limits of SECURITY.md to their maximum and judges the built program from outside: by the
// anonymous memory of its process, the size of its database, and the requests of a well-behaved client of another
// block. Nothing that the program counts is asked. Where the machine allows it, the program runs in a control group
// with a hard limit, in which the kernel would kill it.
//
// The suite plays other networks by the PROXY protocol, on the loopback network alone. It is part of make check, and
// `make bounds` prints its table.
package bounds

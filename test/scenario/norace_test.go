//go:build !race

package scenario

// everyNth is which of the calls at which an integration can be killed are
// tried: all of them.
const everyNth = 1

//go:build race

package scenario

// everyNth is which of the calls at which an integration can be killed are
// tried. The race detector makes a life take many times as long, and looks at
// the server, not at the program that is killed.
const everyNth = 9

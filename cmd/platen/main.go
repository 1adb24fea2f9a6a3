// Command platen runs a simulated printing company with two HTTP systems, for
// trying out integrations, and plays with it from the terminal.
package main

import "platen/cmd/platen/command"

func main() { command.Main() }

// Command platen runs a simulated printing company with two HTTP systems, for
// trying out integrations, and plays with it from the terminal.
package main

import (
	"platen/cmd/platen/command"
	"platen/cmd/platen/quiet"
)

func main() {
	quiet.End()
	command.Main()
}

package tokens

import "strings"

// maxCommands is how many commands a call takes.
const maxCommands = 20

// after is the lines behind that of a command.
func after(said, operation string) []string {
	_, rest, _ := strings.Cut(said, " ok "+operation+"\n")
	return strings.Split(rest, "\n")
}

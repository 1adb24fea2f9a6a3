package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// overview is the help of platen itself: the commands that are used most, and the names of the others. The commands of
// records are more than all of these, so a command of its own lists them.
func overview(groups []group) string {
	var b strings.Builder
	b.WriteString("Usage:\n  platen [command]\n")
	for _, g := range groups {
		shown, others := g.commands[:g.shown], g.commands[g.shown:]
		fmt.Fprintf(&b, "\n%s:\n", g.title)
		for _, cmd := range shown {
			fmt.Fprintf(&b, "  %-12s %s\n", cmd.Name(), cmd.Short)
		}
		var names []string
		if g.title == aboutProgram { // the library adds these two
			names = []string{"help", "completion"}
		}
		for _, cmd := range others {
			names = append(names, cmd.Name())
		}
		switch {
		case len(names) > 0 && len(shown) > 0:
			fmt.Fprintf(&b, "  Also: %s\n", strings.Join(names, ", "))
		case len(names) > 0:
			fmt.Fprintf(&b, "  %s\n", strings.Join(names, ", "))
		}
	}
	b.WriteString("\nplaten help COMMAND describes each. platen --version prints the version.\n")
	return b.String()
}

// recordsGroup has the command that lists those of records.
func recordsGroup(resources []group) group {
	return group{"Records", 1, []*cobra.Command{recordsCommand(resources)}}
}

func recordsCommand(resources []group) *cobra.Command {
	count := 0
	var list strings.Builder
	for _, g := range resources {
		fmt.Fprintf(&list, "\n%s:\n", g.title)
		for _, cmd := range g.commands {
			fmt.Fprintf(&list, "  %-22s %s\n", cmd.Name(), cmd.Short)
		}
		count += len(g.commands)
	}
	return &cobra.Command{
		Use:        "records",
		SuggestFor: []string{"resources", "resource", "record"},
		Short:      fmt.Sprintf("List the %d resources, such as orders: platen orders accept SO-1001", count),
		Long: "Each resource of the company is a command, with a command for each of its operations.\n\n" +
			"  platen orders list --status received\n" +
			"  platen orders accept SO-1001\n" +
			"  platen orders --help\n" +
			list.String(),
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
}

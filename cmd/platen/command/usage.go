package command

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	edlib "github.com/hbollon/go-edlib"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"platen/cmd/platen/cli"
	"platen/internal/config"
)

// noArguments refuses arguments that are no flags. One where a command has commands of its
// own is a command that there is not.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !cmd.HasAvailableSubCommands() {
		return cli.UsageError{Err: fmt.Errorf("%s takes no argument %q; see %s --help",
			cmd.CommandPath(), args[0], cmd.CommandPath())}
	}
	return cli.UsageError{Err: fmt.Errorf("unknown command %q for %q%s", args[0], cmd.CommandPath(),
		meant(commandsLike(cmd, args[0]), cmd.CommandPath()+" --help lists all"))}
}

// helpOf prints the help of the command that arguments name. The library's own prints that of the program for a command
// that there is not.
func helpOf(cmd *cobra.Command, args []string) error {
	found, rest, err := cmd.Root().Find(args)
	if err == nil {
		err = noArguments(found, rest)
	}
	if err != nil {
		return err
	}
	found.InitDefaultHelpFlag()
	found.InitDefaultVersionFlag()
	return found.Help() //nolint:wrapcheck // the error of standard output is enough
}

// meant asks about what may have been meant, and where there is nothing says where to look.
func meant(names []string, otherwise string) string {
	if len(names) == 0 {
		return "; " + otherwise
	}
	return ". Did you mean " + strings.Join(names, " or ") + "?"
}

// commandsLike are the commands that a mistyped name may have meant.
func commandsLike(cmd *cobra.Command, name string) []string {
	var found []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && (near(name, sub.Name()) || slices.Contains(sub.SuggestFor, name)) {
			found = append(found, sub.CommandPath())
		}
	}
	return found
}

// otherNames are the names of these flags in other programs.
//
//nolint:gochecknoglobals // read only
var otherNames = map[string][]string{
	"listen": {"addr", "address", "bind", "host", "port"}, "database": {"db", "data", "dsn"},
	"server": {"url", "base-url", "host", "origin"}, "key": {"token", "api-key", "office-key", "factory-key"},
	"forward-to": {"forward", "to", "url"}, "no-follow": {"no-tail", "once"}, "types": {"events", "type"},
	"env": {"env-file", "dotenv", "output"}, "json": {"output", "format"},
}

// flagsLike are the flags that a mistyped name may have meant.
func flagsLike(cmd *cobra.Command, name string) []string {
	var found []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && (near(name, f.Name) || slices.Contains(otherNames[f.Name], name)) {
			found = append(found, "--"+f.Name)
		}
	})
	return found
}

// near reports whether a word may be a mistyped name: at most two letters and at most a third of them
// are to add, remove, change or swap with their neighbour, or only its end is missing.
func near(word, name string) bool {
	const mostWrong, shortest = 2, 3
	word = strings.ToLower(word)
	if len(word) >= shortest && strings.HasPrefix(name, word) {
		return true
	}
	return edlib.OSADamerauLevenshteinDistance(word, name) <= min(mostWrong, max(1, len(name)/3))
}

// kinds say in words what a type of flags takes.
//
//nolint:gochecknoglobals // read only
var kinds = map[string]string{
	"int": "a whole number", "int64": "a whole number", "uint64": "a whole number that is not negative",
	"duration": "a time such as 30s or 5m", "bool": "true or false",
}

// flagError is an error of the library of flags in words of this program.
func flagError(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && unknown.GetSpecifiedShortnames() == "" {
		name := unknown.GetSpecifiedName()
		for _, f := range config.Default().Fields() {
			if f.Key && f.Name == name {
				return fmt.Errorf("--%s does not exist: other users of the machine can read a command line; set %s",
					name, f.Variable())
			}
		}
		return fmt.Errorf("unknown flag: --%s%s", name,
			meant(flagsLike(cmd, name), "see "+cmd.CommandPath()+" --help"))
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		f := invalid.GetFlag()
		if kind := kinds[f.Value.Type()]; kind != "" {
			return fmt.Errorf("--%s must be %s, not %s", f.Name, kind, strconv.Quote(invalid.GetValue()))
		}
	}
	return err
}

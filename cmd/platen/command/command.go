// Package command is the command line of platen: commands, flags and exit codes. It
// is a package of its own so that a test binary can be the program (test/selfexec).
package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/spf13/cobra"
	_ "golang.org/x/crypto/x509roots/fallback" // where a machine has no roots, as in an image of nothing but the program

	"platen/client"
	"platen/cmd/platen/cli"
	"platen/internal/server"
)

// Exit codes.
const (
	// exitError is for whatever has no code of its own.
	exitError = 1
	// exitUsage is for command lines that cannot be.
	exitUsage = 2
	// exitGone is for sandboxes whose time is over, and bankrupt companies.
	exitGone = 3
	// exitOver is for limits, which leave time to try again.
	exitOver = 4
	// exitKey is for keys that the server does not accept.
	exitKey = 5
)

// Main runs the command line of this process and ends the process when it fails.
func Main() { end(run(context.Background())) }

// aheadKey finds in a context how many versions of the simulation a server is ahead.
type aheadKey struct{}

// Next is Main of a program with the next version of the simulation's rules: to a server
// it is another version, as far as that can tell. Tests of upgrades run it.
func Next() { end(run(context.WithValue(context.Background(), aheadKey{}, 1))) }

func end(status int) {
	if status != 0 {
		os.Exit(status)
	}
}

// run runs the command line of this process and returns its exit status.
func run(ctx context.Context) int {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	err := root().ExecuteContext(ctx)
	stop()
	if err == nil {
		return 0
	}
	screen := cli.NewScreen(os.Stderr)
	fmt.Fprintln(screen, "platen:", cli.WithoutSecrets(cli.Brief(err).Error()))
	for _, line := range cli.Details(err) {
		fmt.Fprintln(screen, " ", cli.WithoutSecrets(line))
	}
	return exitCode(err)
}

// exitCode is the status for scripts to tell the kinds of failure apart.
func exitCode(err error) int {
	if _, ok := errors.AsType[cli.UsageError](err); ok {
		return exitUsage
	}
	if errors.Is(err, client.ErrNoKey) {
		return exitKey
	}
	rejected, ok := errors.AsType[*client.Error](err)
	if !ok {
		return exitError
	}
	switch rejected.Code {
	case client.CodeUnauthorized, client.CodeWrongSystem:
		return exitKey
	case client.CodeSandboxExpired, client.CodeSandboxBankrupt:
		return exitGone
	case client.CodeRateLimited, client.CodeTickRate, client.CodeQueueFull:
		return exitOver
	}
	return exitError
}

func root() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "platen",
		Short: "A simulated company behind two HTTP APIs, to test integrations and agents",
		Long: "Platen simulates a printing company behind two HTTP APIs that share no data: Head Office\n" +
			"and the Factory. Your program connects them. Unlike a mock, this company reacts,\n" +
			"remembers, and fails the way production does.\n\n" +
			"Start a server: platen serve --profile local\n" +
			"In another terminal: platen new --env .env",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          noArguments,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.SetOut(cli.NewScreen(os.Stdout))
	cmd.SetErr(cli.NewScreen(os.Stderr))
	cmd.Version = server.Version()
	cmd.SetVersionTemplate("platen {{.Version}}\n")
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return cli.UsageError{Err: flagError(cmd, err)} })
	resources := resourceGroups()
	general, last := append(groups(), recordsGroup(resources)), lastGroup()
	for _, g := range slices.Concat(general, resources, last) {
		cmd.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, sub := range g.commands {
			sub.GroupID = g.title
			cmd.AddCommand(sub)
		}
	}
	cmd.InitDefaultHelpCmd()
	if help, _, err := cmd.Find([]string{"help"}); err == nil {
		help.Run, help.RunE = nil, helpOf
	}
	cmd.SetHelpCommandGroupID(aboutProgram)
	cmd.SetCompletionCommandGroupID(aboutProgram)
	complete(cmd, flagWords(), argumentWords())
	cmd.SetUsageTemplate("{{if .HasParent}}" + cmd.UsageTemplate() + "{{else}}" +
		overview(append(general, last...)) + exitCodes + "{{end}}")
	return cmd
}

// exitCodes end the help of platen itself.
const exitCodes = `
Exit status: 0 done, 1 failed, 2 invalid usage, or an invalid key, 3 sandbox expired
or bankrupt, 4 limit reached, retry later, 5 key rejected.
`

const aboutProgram = "This program"

// group is a group of commands under a title.
type group struct {
	title string
	// shown is how many of the commands the help of platen itself describes; it names the others.
	shown    int
	commands []*cobra.Command
}

// groups are the commands that are about no single resource, by purpose, the most used ones first.
func groups() []group {
	return []group{
		{"Start", 4, []*cobra.Command{serveCommand(), newCommand(), demoCommand(), doctorCommand(), openCommand()}},
		{"Watch a sandbox", 4, []*cobra.Command{
			statusCommand(), eventsCommand(), requestsCommand(), integrationCommand(), missionsCommand(),
		}},
		{"Change a sandbox", 3, []*cobra.Command{
			tickCommand(), triggerCommand(), faultsCommand(), apiCommand(), clockCommand(), extendCommand(),
		}},
		{"Fork and delete", 1, []*cobra.Command{
			forkCommand(), checkpointCommand(), exportCommand(), resetCommand(), deleteCommand(),
		}},
		{"Webhooks", 1, []*cobra.Command{listenCommand(), verifyCommand()}},
		{"Evaluate programs and agents", 2, []*cobra.Command{
			evalCommand(), tasksCommand(), replayCommand(), envCommand(),
		}},
		{"Run a server", 1, []*cobra.Command{
			backupCommand(), restoreCommand(), moveCommand(), importCommand(), nodesCommand(),
		}},
	}
}

// lastGroup is behind all others.
func lastGroup() []group {
	return []group{{title: aboutProgram, commands: []*cobra.Command{openapiCommand(), versionCommand()}}}
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program",
		Args:  noArguments,
		Run:   func(cmd *cobra.Command, _ []string) { fmt.Fprintln(cmd.OutOrStdout(), "platen", server.Version()) },
	}
}

// serverFlag adds the flag that names a server.
func serverFlag(cmd *cobra.Command, server *string) {
	cmd.Flags().StringVar(server, "server", "",
		"Origin of the server. Defaults to PLATEN_URL, or else "+cli.DefaultOrigin+".")
}

// targetFlags adds the flags that name a sandbox on a server.
func targetFlags(cmd *cobra.Command, t *cli.Target) {
	serverFlag(cmd, &t.Server)
	cmd.Flags().StringVar(&t.Key, "key", "",
		"Key of the sandbox. Defaults to PLATEN_OFFICE_KEY and PLATEN_FACTORY_KEY, or PLATEN_KEY.")
}

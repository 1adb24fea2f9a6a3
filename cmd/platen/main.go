// Command platen runs a simulated printing company with two HTTP systems, for
// trying out integrations, and plays with it from the terminal.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"platen/client"
	"platen/internal/cli"
	"platen/internal/server"
)

// Exit codes.
const (
	exitError = 1
	exitUsage = 2
	exitGone  = 3
	exitOver  = 4
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	err := root().ExecuteContext(ctx)
	stop()
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, "platen:", err)
	os.Exit(exitCode(err))
}

// exitCode is the status for scripts to tell the kinds of failure apart.
func exitCode(err error) int {
	if _, ok := errors.AsType[cli.UsageError](err); ok {
		return exitUsage
	}
	rejected, ok := errors.AsType[*client.Error](err)
	if !ok {
		return exitError
	}
	switch rejected.Code {
	case client.CodeUnauthorized, client.CodeSandboxExpired, client.CodeSandboxBankrupt:
		return exitGone
	case client.CodeRateLimited, client.CodeTickRate, client.CodeQueueFull:
		return exitOver
	}
	return exitError
}

func root() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "platen",
		Short: "A simulated company with two HTTP systems, for trying out integrations",
		Long: "Platen is a simulated printing company behind two HTTP systems that share no data:\n" +
			"Head Office and the Factory. Your program connects them.\n\nBegin with: platen serve",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          noArguments,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return cli.UsageError{Err: err} })
	cmd.AddCommand(serveCommand(), backupCommand(), restoreCommand(), moveCommand(), nodesCommand(), demoCommand(),
		newCommand(), statusCommand(), integrationCommand(), clockCommand(), tickCommand(), checkpointCommand(),
		forkCommand(), resetCommand(), deleteCommand(), triggerCommand(), faultsCommand(),
		eventsCommand(), listenCommand(), missionsCommand(), requestsCommand(), apiCommand(), verifyCommand(),
		evalCommand(), replayCommand(), tasksCommand(), benchCommand(), doctorCommand(), openapiCommand(),
		versionCommand())
	return cmd
}

// noArguments refuses arguments that are no flags.
func noArguments(cmd *cobra.Command, args []string) error {
	if err := cobra.NoArgs(cmd, args); err != nil {
		return cli.UsageError{Err: err}
	}
	return nil
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
		"Origin of the server; from PLATEN_URL, or else "+cli.DefaultOrigin+", when empty.")
}

// targetFlags adds the flags that name a sandbox on a server.
func targetFlags(cmd *cobra.Command, t *cli.Target) {
	serverFlag(cmd, &t.Server)
	cmd.Flags().StringVar(&t.Key, "key", "",
		"Key of the sandbox; from PLATEN_OFFICE_KEY and PLATEN_FACTORY_KEY, or PLATEN_KEY, when empty.")
}

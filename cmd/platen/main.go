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
	"platen/internal/server"
)

// Exit codes.
const (
	exitError = 1
	exitUsage = 2
	exitGone  = 3
	exitOver  = 4
)

// usageError is a command line that cannot be.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

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
	if _, ok := errors.AsType[usageError](err); ok {
		return exitUsage
	}
	code := ""
	if refused, ok := errors.AsType[*refusal](err); ok {
		code = refused.Code
	}
	if refused, ok := errors.AsType[*client.Error](err); ok {
		code = refused.Code
	}
	switch code {
	case "unauthorized", "sandbox_expired", "sandbox_bankrupt":
		return exitGone
	case "rate_limited", "tick_rate", "queue_full":
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
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	cmd.AddCommand(serveCommand(), backupCommand(), demoCommand(), newCommand(), statusCommand(), eventsCommand(),
		listenCommand(), missionsCommand(), requestsCommand(), apiCommand(), verifyCommand(), evalCommand(),
		benchCommand(), doctorCommand(), openapiCommand(), versionCommand())
	return cmd
}

// noArguments refuses arguments that are no flags.
func noArguments(cmd *cobra.Command, args []string) error {
	if err := cobra.NoArgs(cmd, args); err != nil {
		return usageError{err}
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

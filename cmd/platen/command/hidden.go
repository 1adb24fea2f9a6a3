package command

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"platen/client"
	"platen/cmd/platen/cli"
	"platen/internal/config"
)

// maxSecret bounds a secret, in bytes.
const maxSecret = 4 << 10

// secretOf hides this process and returns the secret of the worlds of an evaluation: fresh where it was drawn, "" for a
// split that has none.
func secretOf(cmd *cobra.Command, fresh, split, file string) (string, error) {
	if fresh == "" && split == string(client.SplitTest) {
		return pipedSecret(file)
	}
	if hidden := hide(); hidden != nil && fresh != "" {
		fmt.Fprintln(cmd.ErrOrStderr(), "warning: the command could read the secret of these worlds:", hidden)
	}
	return fresh, nil
}

// pipedSecret reads the secret of the worlds of test from a pipe. The process is hidden before, and nothing else on
// this machine has to hold the secret: not a file, and not the environment, which each process above this one shows to
// the program that it runs.
func pipedSecret(path string) (string, error) {
	if path == "" {
		return "", cli.UsageError{Err: fmt.Errorf("--split test requires --secret-file: a pipe with a secret of %d "+
			"characters or more, from which its worlds derive, such as --secret-file <(pass show platen). Your "+
			"program could read it in the environment", config.SecretLeast)}
	}
	if err := hide(); err != nil {
		return "", fmt.Errorf("--split test: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", cli.UsageError{Err: fmt.Errorf("--secret-file: %w", err)}
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Mode().Type()&fs.ModeNamedPipe == 0 {
		return "", cli.UsageError{Err: fmt.Errorf("--secret-file must be a pipe, such as <(pass show platen) or "+
			"/dev/stdin behind a |: your program could read the file %s", path)}
	}
	text, err := io.ReadAll(io.LimitReader(f, maxSecret))
	if err != nil {
		return "", fmt.Errorf("read the secret: %w", err)
	}
	secret := strings.TrimSpace(string(text))
	if len(secret) < config.SecretLeast {
		return "", cli.UsageError{Err: fmt.Errorf("the secret of --secret-file has %d characters, and needs %d",
			len(secret), config.SecretLeast)}
	}
	return secret, nil
}

package command

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"platen/cmd/platen/cli"
	"platen/eval"
	"platen/eval/report"
	"platen/eval/task"
)

// reportOutput are the flags of the commands that write a report.
type reportOutput struct {
	against, html string
	names         []string
}

func (r *reportOutput) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&r.against, "against", "", "A second file, to compare with FILE world by world.")
	cmd.Flags().StringVar(&r.html, "html", "", "Write the report as a page to this file too.")
	cmd.Flags().StringArrayVar(&r.names, "name", nil,
		"The name of a player, once for each file, in their order. Defaults to the name of the file.")
}

// files are the files of all players.
func (r *reportOutput) files(args []string) ([]string, error) {
	switch {
	case len(args) == 0:
		return nil, cli.UsageError{Err: errors.New("name a file of results, as --resume writes it")}
	case r.against != "" && len(args) > 1:
		return nil, cli.UsageError{Err: errors.New("--against compares two files: name one beside it")}
	case r.against != "":
		args = []string{args[0], r.against}
	case len(args) > report.MostPlayers:
		return nil, cli.UsageError{Err: fmt.Errorf("a report shows %d files at most, not %d", report.MostPlayers,
			len(args))}
	}
	if len(r.names) > len(args) {
		return nil, cli.UsageError{Err: fmt.Errorf("--name is there %d times, for %d files", len(r.names), len(args))}
	}
	return args, nil
}

// write writes a page.
func (r *reportOutput) write(cmd *cobra.Command, page *report.Page) error {
	if r.html != "" {
		file, err := os.Create(r.html)
		if err != nil {
			return cli.UsageError{Err: fmt.Errorf("--html: %w", err)}
		}
		if err := errors.Join(page.HTML(file), file.Close()); err != nil {
			return fmt.Errorf("--html: %w", err)
		}
	}
	return page.Markdown(cmd.OutOrStdout()) //nolint:wrapcheck // it says what failed
}

// againstHelp is the part of the help that both reports share.
const againstHelp = "The report is Markdown on standard output. --html FILE also writes it as one page with charts, " +
	"which\nneeds no network and no script. It has no secret of fresh worlds.\n\n" +
	"--against compares two players in the worlds that both played, and says whether the difference is\n" +
	"more than luck. It needs five worlds in common, and six to be sure of the clearest lead.\n\n"

func evalReport() *cobra.Command {
	var output reportOutput
	var pass float64
	cmd := &cobra.Command{
		Use:   "report FILE...",
		Short: "Write a report of one or several players, from their files of results",
		Long: "Write a report of one or several players, from their files of results.\n\n" +
			"The files are those that platen eval --resume writes, one for each player, all of the same evaluation.\n" +
			againstHelp +
			"  platen eval --seeds 1..10 --resume a.jsonl -- ./agent-a\n" +
			"  platen eval --seeds 1..10 --resume b.jsonl -- ./agent-b\n" +
			"  platen eval report a.jsonl --against b.jsonl --html report.html > report.md",
		RunE: func(cmd *cobra.Command, args []string) error {
			files, err := output.files(args)
			if err != nil {
				return err
			}
			page, err := eval.Report(files, output.names, output.against != "", pass)
			if err != nil {
				return err //nolint:wrapcheck // it names the file
			}
			return output.write(cmd, page)
		},
	}
	output.add(cmd)
	cmd.Flags().Float64Var(&pass, "pass", 1,
		"The skill that a run needs to pass: 0 is greedy play, 1 is watchful play.")
	return cmd
}

func tasksReport() *cobra.Command {
	var output reportOutput
	cmd := &cobra.Command{
		Use:   "report FILE...",
		Short: "Write a report of one or several players, from their files of results",
		Long: "Write a report of one or several players, from their files of results.\n\n" +
			"The files are those that platen tasks run --resume writes, one for each player, all of the same split.\n" +
			againstHelp +
			"  platen tasks run --resume a.jsonl -- ./agent-a\n" +
			"  platen tasks run --resume b.jsonl -- ./agent-b\n" +
			"  platen tasks report a.jsonl --against b.jsonl --html report.html > report.md",
		RunE: func(cmd *cobra.Command, args []string) error {
			files, err := output.files(args)
			if err != nil {
				return err
			}
			page, err := task.Report(files, output.names, output.against != "")
			if err != nil {
				return err //nolint:wrapcheck // it names the file
			}
			return output.write(cmd, page)
		},
	}
	output.add(cmd)
	return cmd
}

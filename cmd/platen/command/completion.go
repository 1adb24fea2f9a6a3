package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"platen/client"
	"platen/cmd/platen/cli"
	"platen/cmd/platen/cli/resource"
	"platen/eval/task"
	"platen/internal/server"
)

// completionTime is how long a shell waits for words that a server knows.
const completionTime = 2 * time.Second

// words are the completions at one place.
type words func(ctx context.Context, args []string) []string

// fixed are words that no server has to be asked for.
func fixed(all ...string) words { return func(context.Context, []string) []string { return all } }

// texts are values as words.
func texts[T ~string](values ...T) []string {
	all := make([]string, len(values))
	for i, value := range values {
		all[i] = string(value)
	}
	return all
}

// flagWords are the words of flags, by their names.
func flagWords() map[string]words {
	events := texts(client.EventTypes()...)
	return map[string]words{
		"preset": func(context.Context, []string) []string { return server.PresetNames() }, "types": fixed(events...),
		"until":   fixed(append([]string{"decision"}, events...)...),
		"clock":   fixed(texts(client.ClockModeManual, client.ClockModeRealtime, client.ClockModeSkip)...),
		"split":   fixed(texts(client.SplitTrain, client.SplitDev, client.SplitTest)...),
		"bridge":  fixed("auto", "manual"),
		"faults":  fixed("light", "moderate", "severe", "double_work", "treacherous"),
		"profile": fixed("contract", "local"),
		"method":  fixed("GET", "POST", "PATCH", "DELETE"), "system": fixed("office", "factory"),
		"log-level": fixed("debug", "info", "warn", "error"), "log-format": fixed("auto", "text", "json"),
	}
}

// argumentWords are the words of arguments, by the paths of their commands.
func argumentWords() map[string]words {
	tasks := func(context.Context, []string) []string {
		names, _ := task.Names()
		return names
	}
	return map[string]words{
		"platen faults": once(fixed(texts(client.FaultKinds()...)...)), "platen trigger": once(triggerWords),
		"platen fork": once(checkpointWords), "platen api": apiWords,
		"platen tasks show": once(tasks), "platen tasks run": tasks, "platen tasks prepare": once(tasks),
		"platen tasks grade": once(tasks), "platen tasks serve": once(tasks),
	}
}

// once offers words for a first argument only.
func once(w words) words {
	return func(ctx context.Context, args []string) []string {
		if len(args) > 0 {
			return nil
		}
		return w(ctx, args)
	}
}

// complete tells the shell what can be typed. A failure offers nothing: a shell has no place
// for it.
func complete(cmd *cobra.Command, flags, arguments map[string]words) {
	if w, ok := arguments[cmd.CommandPath()]; ok {
		cmd.ValidArgsFunction = w.asked
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if w, ok := flags[f.Name]; ok {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, w.asked) // fails for a second time only
		}
	})
	for _, sub := range cmd.Commands() {
		complete(sub, flags, arguments)
	}
}

// asked answers the shell.
func (w words) asked(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
	defer cancel()
	return w(ctx, args), cobra.ShellCompDirectiveNoFileComp
}

// connected is a client for completion: it asks once.
func connected() (*client.Client, error) {
	return (&cli.Target{}).Connect(client.MaxRetries(0)) //nolint:wrapcheck // nobody reads it
}

func triggerWords(ctx context.Context, _ []string) []string {
	c, err := connected()
	if err != nil {
		return nil
	}
	kinds, err := c.GetTriggers(ctx)
	if err != nil {
		return nil
	}
	var found []string
	for _, t := range kinds.Triggers {
		found = append(found, fmt.Sprintf("%s\t%s", t.Type, t.Summary))
	}
	return found
}

func checkpointWords(ctx context.Context, _ []string) []string {
	c, err := connected()
	if err != nil {
		return nil
	}
	all, err := cli.Checkpoints(ctx, c)
	if err != nil {
		return nil
	}
	var labels []string
	for _, checkpoint := range all {
		labels = append(labels, checkpoint.Label)
	}
	return labels
}

// apiWords are methods, and then the paths that have one.
func apiWords(_ context.Context, args []string) []string {
	switch len(args) {
	case 0:
		return []string{"GET", "POST", "PATCH", "DELETE"}
	case 1:
		var paths []string
		for _, op := range resource.Table() {
			if op.Method == strings.ToUpper(args[0]) {
				paths = append(paths, op.Path+"\t"+op.Summary)
			}
		}
		return paths
	default:
		return nil
	}
}

// recordWords are the numbers, or else the ids, of the newest records that a verb takes.
func recordWords(op *resource.Operation) words {
	return func(ctx context.Context, args []string) []string {
		if len(args) > 0 || len(op.Places()) == 0 {
			return nil
		}
		c, err := connected()
		if err != nil {
			return nil
		}
		return resource.Names(ctx, c, op.Resource)
	}
}

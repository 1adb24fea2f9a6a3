package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/lmittmann/tint"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"platen/cmd/platen/cli"
	"platen/internal/config"
	"platen/internal/server"
)

// drainTime is how long a stopping server waits for requests under way.
const drainTime = 10 * time.Second

func serveCommand() *cobra.Command {
	c := config.Default()
	var file string
	cmd := &cobra.Command{
		Use:        "serve",
		SuggestFor: []string{"start", "run", "server", "up"},
		Short:      "Run a server",
		Long: "Run a server. With no flag it listens on 127.0.0.1:8080 and keeps its data in data/platen.db.\n\n" +
			"Every flag can also be set as an environment variable (--max-sandboxes as PLATEN_MAX_SANDBOXES)\n" +
			"or as a field of the JSON object in the file that --config names. Flags win over the\n" +
			"environment, the environment over the file, and the file over the profile.\n\n" +
			"On your own machine, --profile local removes the limits and keeps sandboxes for 24 hours.\n\n" +
			"Send SIGHUP (kill -HUP) to lift all bans of networks.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := completeSettings(c, cmd.Flags(), file); err != nil {
				return cli.UsageError{Err: err}
			}
			c.EnginesAhead, _ = cmd.Context().Value(aheadKey{}).(int) // 0 but for Next
			return serve(cmd.Context(), c, cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVar(&file, "config", "", "A JSON file with settings.")
	bind(cmd.Flags(), c)
	cmd.SetUsageFunc(func(cmd *cobra.Command) error { return settingsUsage(cmd, c.Fields()) })
	return cmd
}

// bind creates a flag for each setting but keys.
func bind(flags *pflag.FlagSet, c *config.Config) {
	for _, f := range c.Fields() {
		if f.Key {
			continue
		}
		doc := f.Doc
		switch target := f.Target.(type) {
		case *string:
			flags.StringVar(target, f.Name, *target, doc)
		case *[]string:
			flags.StringSliceVar(target, f.Name, *target, doc)
		case *bool:
			flags.BoolVar(target, f.Name, *target, doc)
		case *int:
			flags.IntVar(target, f.Name, *target, doc)
		case *time.Duration:
			flags.DurationVar(target, f.Name, *target, doc)
		}
	}
}

// helpColumns is the width of help.
const helpColumns = 118

// settingsUsage writes the flags of a server, by what they are about, and the variables of its keys.
func settingsUsage(cmd *cobra.Command, fields []config.Field) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage:\n  %s\n", cmd.UseLine())
	grouped := map[string]bool{}
	for len(fields) > 0 {
		group := pflag.NewFlagSet(fields[0].Group, pflag.ContinueOnError)
		group.SortFlags = false
		for len(fields) > 0 && fields[0].Group == group.Name() {
			if f := fields[0]; f.Key {
				group.String(f.Variable(), "", f.Doc)
			} else {
				grouped[f.Name] = true
				group.AddFlag(cmd.Flags().Lookup(f.Name))
			}
			fields = fields[1:]
		}
		fmt.Fprintf(&b, "\n%s:\n%s", group.Name(),
			strings.ReplaceAll(group.FlagUsagesWrapped(helpColumns), "--PLATEN_", "  PLATEN_"))
	}
	others := pflag.NewFlagSet("", pflag.ContinueOnError)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !grouped[f.Name] {
			others.AddFlag(f)
		}
	})
	fmt.Fprintf(&b, "\nThis command:\n%s", others.FlagUsagesWrapped(helpColumns))
	_, err := io.WriteString(cmd.OutOrStdout(), b.String())
	return err //nolint:wrapcheck // the error of standard output is enough
}

// completeSettings fills in the settings that the flags leave open, from the
// environment, then from the file, then from the profile.
func completeSettings(c *config.Config, flags *pflag.FlagSet, file string) error {
	given := map[string]string{}
	flags.Visit(func(f *pflag.Flag) { given[f.Name] = textOf(f.Value) })
	if file == "" {
		file = config.FileFromEnvironment()
	}
	content := []byte("{}")
	if file != "" {
		var err error
		if content, err = os.ReadFile(file); err != nil {
			return fmt.Errorf("read configuration file: %w", err)
		}
	}
	// At first for the profile, which any of the sources may name, then over it.
	if err := fromSources(c, content, given); err != nil {
		return err
	}
	if c.Use(c.Profile) {
		if err := fromSources(c, content, given); err != nil {
			return err
		}
	}
	return c.Check()
}

// fromSources sets what the sources of settings name; the later wins.
func fromSources(c *config.Config, file []byte, flags map[string]string) error {
	if err := c.File(file); err != nil {
		return err
	}
	if err := c.Environment(); err != nil {
		return err
	}
	for _, f := range c.Fields() {
		if text, ok := flags[f.Name]; ok {
			if err := f.Set(text); err != nil {
				return err
			}
		}
	}
	return nil
}

// textOf is the value of a flag as its setting takes it.
func textOf(v pflag.Value) string {
	if list, ok := v.(pflag.SliceValue); ok {
		return strings.Join(list.GetSlice(), ",")
	}
	return v.String()
}

func serve(ctx context.Context, c *config.Config, out io.Writer) error {
	log := slog.New(logHandler(c, out))
	for _, name := range c.UnknownVariables() {
		log.Warn("unknown setting; see platen serve --help", "variable", name)
	}
	if err := boundMemory(c); err != nil {
		return err
	}
	s, err := server.New(ctx, c, log)
	if err != nil {
		return err
	}
	if err := s.Start(ctx); err != nil {
		return errors.Join(taken(c, err), s.Stop(context.WithoutCancel(ctx)))
	}
	fmt.Fprintf(out, "\n  Platen is running.\n\n  start here  %s/\n  API         %s\n  agents      %s\n"+
		"  docs        %s/docs/\n  OpenAPI     %s/openapi.json\n  data        %s\n  profile     %s\n\n"+
		"  Create a sandbox:\n\n    curl -X POST %s/sandboxes\n\n  Stop with Ctrl+C.\n\n",
		s.Origin(), s.BaseURL(), s.AgentURL(), s.Origin(), s.Origin(), c.Place(), profileOf(c, s), s.BaseURL())
	// Documents and pages were made of much that is not needed again.
	debug.FreeOSMemory()
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	for running := true; running; {
		select {
		case <-hangup:
			log.Info("lift all bans of networks", "bans", s.LiftBans())
		case <-ctx.Done():
			running = false
		case err = <-s.Failed():
			running = false
		}
	}
	log.Info("stopping: finishing open requests")
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	if stopErr := s.Stop(drain); stopErr != nil && err == nil {
		err = fmt.Errorf("stop: %w", stopErr)
	}
	return err
}

// taken says what to do where another program listens at the address of a server.
func taken(c *config.Config, err error) error {
	if !errors.Is(err, syscall.EADDRINUSE) {
		return err
	}
	flag, address := "--listen", c.Listen
	if strings.HasPrefix(err.Error(), "ops-listen") {
		flag, address = "--ops-listen", c.OpsListen
	}
	return fmt.Errorf("another program listens at %s, perhaps a platen serve. Choose an address with %s, such as "+
		"%s 127.0.0.1:8081", address, flag, flag)
}

// profileOf names the profile of a server, and where its limits serve nobody another one.
func profileOf(c *config.Config, s *server.Server) string {
	if advice := s.Advice(); advice != "" {
		return c.Profile + ", with limits. " + advice
	}
	return c.Profile
}

// boundMemory has Go collect garbage in time for the server's limit, unless the
// environment says more exactly when (GOMEMLIMIT).
func boundMemory(c *config.Config) error {
	limit, err := server.MemoryLimit(c)
	if err != nil {
		return err //nolint:wrapcheck // it names the setting
	}
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(server.HeapLimit(limit))
	}
	return nil
}

func logHandler(c *config.Config, out io.Writer) slog.Handler {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.LogLevel)) // Check has seen it
	if c.LogFormat == "json" || c.LogFormat == "auto" && !cli.IsTerminal(out) {
		return slog.NewJSONHandler(out, &slog.HandlerOptions{Level: level})
	}
	return tint.NewTextHandler(out,
		&tint.Options{Level: level, TimeFormat: time.TimeOnly, NoColor: config.PlainTerminal() || !cli.IsTerminal(out)})
}

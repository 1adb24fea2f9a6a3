package command

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"platen/internal/cli"
	"platen/internal/cli/resource"
)

// resourceGroups are the commands about records, by the system that has them.
func resourceGroups() []group {
	groups := []group{{title: "Records of Head Office"}, {title: "Records of the Factory"}, {title: "Records of both"}}
	at := map[string]int{"office": 0, "factory": 1}
	for _, r := range resource.All() {
		i, ok := at[r.System]
		if !ok {
			i = len(groups) - 1
		}
		groups[i].commands = append(groups[i].commands, resourceCommand(&r))
	}
	return groups
}

func resourceCommand(r *resource.Resource) *cobra.Command {
	verbs := make([]string, len(r.Operations))
	for i, op := range r.Operations {
		verbs[i] = op.Verb
	}
	cmd := &cobra.Command{
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	if only := &r.Operations[0]; len(verbs) == 1 && len(only.Places()) == 0 { // platen cash is platen cash get
		cmd = verbCommand(only)
	}
	cmd.Use, cmd.Aliases, cmd.Short = r.Name, r.Aliases, strings.Join(verbs, ", ")+also(r.Aliases)
	if noun, ok := strings.CutPrefix(r.Name, r.System+"-"); ok {
		cmd.SuggestFor = []string{noun}
	}
	for _, op := range r.Operations {
		cmd.AddCommand(verbCommand(&op))
	}
	return cmd
}

// also says which other names there are.
func also(aliases []string) string {
	if len(aliases) == 0 {
		return ""
	}
	return " (also: " + strings.Join(aliases, ", ") + ")"
}

// verbCommand is the command for one operation on records.
func verbCommand(op *resource.Operation) *cobra.Command {
	c := resource.Call{Operation: *op}
	places := op.Places()
	cmd := &cobra.Command{
		Use:   strings.Join(append([]string{op.Verb}, upper(places)...), " "),
		Short: op.Summary, Long: strings.TrimSpace(op.Summary + ".\n\n" + op.Description),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != len(places) {
				return cli.UsageError{
					Err: fmt.Errorf("the form is %s; see %s --help", cmd.UseLine(), cmd.CommandPath()),
				}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c.IDs, c.Out, c.Notes = args, cmd.OutOrStdout(), cmd.ErrOrStderr()
			var err error
			if c.Values, err = valuesOf(cmd.Flags(), op.Fields); err != nil {
				return err
			}
			if err := lacking(cmd, op.Fields); err != nil {
				return err
			}
			return c.Run(cmd.Context())
		},
	}
	targetFlags(cmd, &c.Target)
	cmd.Flags().BoolVar(&c.JSON, "json", false, "Print what the server sends, as JSON.")
	switch {
	case op.Paged:
		cmd.Flags().BoolVar(&c.All, "all", false, "Show all rows, not the first 50.")
		cmd.Flags().StringSliceVar(&c.Columns, "columns", nil, "Fields to show, such as number,due_date,total_minor.")
		cmd.Flags().BoolVar(&c.CSV, "csv", false, "Print rows as CSV, with the names of the fields.")
		cmd.MarkFlagsMutuallyExclusive("csv", "json")
	case op.Method != http.MethodGet:
		cmd.Flags().StringVar(&c.IdempotencyKey, "idempotency-key", "", "Idempotency-Key; made when empty.")
	}
	cmd.ValidArgsFunction = recordWords(op).asked
	for _, f := range op.Fields {
		fieldFlag(cmd.Flags(), &f)
		if len(f.Values) > 0 {
			_ = cmd.RegisterFlagCompletionFunc(f.Flag(), fixed(f.Values...).asked) // fails for a second time only
		}
	}
	return cmd
}

func upper(texts []string) []string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = strings.ToUpper(text)
	}
	return all
}

// lacking names the flags without which there is no request.
func lacking(cmd *cobra.Command, fields []resource.Field) error {
	var missing []string
	for _, f := range fields {
		if f.Required && !cmd.Flags().Changed(f.Flag()) {
			missing = append(missing, "--"+f.Flag())
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return cli.UsageError{Err: fmt.Errorf("%s requires %s; see %[1]s --help", cmd.CommandPath(),
		strings.Join(missing, " and "))}
}

// fieldFlag adds the flag of a field.
func fieldFlag(flags *pflag.FlagSet, f *resource.Field) {
	doc := f.Doc
	if len(f.Values) > 0 {
		doc = strings.TrimSpace(doc + " One of " + strings.Join(f.Values, ", ") + ".")
	}
	switch f.Kind {
	case resource.Text:
		flags.String(f.Flag(), "", doc)
	case resource.Integer:
		flags.Int64(f.Flag(), 0, doc)
	case resource.Boolean:
		flags.Bool(f.Flag(), false, doc)
	case resource.Texts:
		flags.StringSlice(f.Flag(), nil, strings.TrimSpace(doc+" Several with commas, or the flag again."))
	case resource.Objects:
		flags.StringArray(f.Flag(), nil, strings.TrimSpace(doc+" Each as "+f.Form()+"; the flag again for another."))
	}
}

// valuesOf returns the values of the fields whose flags were given.
func valuesOf(flags *pflag.FlagSet, fields []resource.Field) (map[string]any, error) {
	values := map[string]any{}
	for _, f := range fields {
		if !flags.Changed(f.Flag()) {
			continue
		}
		var err error
		switch f.Kind {
		case resource.Text:
			values[f.Name], err = flags.GetString(f.Flag())
		case resource.Integer:
			values[f.Name], err = flags.GetInt64(f.Flag())
		case resource.Boolean:
			values[f.Name], err = flags.GetBool(f.Flag())
		case resource.Texts:
			values[f.Name], err = flags.GetStringSlice(f.Flag())
		case resource.Objects:
			var texts []string
			texts, err = flags.GetStringArray(f.Flag())
			objects := make([]map[string]any, len(texts))
			for i, text := range texts {
				object, wrong := f.Object(text)
				objects[i], err = object, errors.Join(err, wrong)
			}
			values[f.Name] = objects
		}
		if err != nil {
			return nil, err //nolint:wrapcheck // it names the flag
		}
	}
	return values, nil
}

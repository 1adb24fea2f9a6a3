package main

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"platen/internal/operation"
	"platen/internal/words/jsonfield"
	"platen/internal/words/problem"
	"platen/internal/words/wire"
)

// operations renders a method for each row of the table, and notes the types
// that they need.
func (g *generator) operations(table []operation.Operation) (string, error) {
	var b strings.Builder
	b.WriteString("import (\n\"context\"\n\"iter\"\n\"net/http\"\n\"strconv\"\n\"time\"\n)\n")
	fmt.Fprintf(&b, "\n// BasePath is the path of the API below the origin of a server.\nconst BasePath = %q\n",
		wire.BasePath)
	if _, err := g.output(reflect.TypeFor[wire.Meta](), "every operation"); err != nil {
		return "", err
	}
	for i := range table {
		op := &table[i]
		var text string
		var err error
		switch op.Kind {
		case operation.List, operation.Feed:
			text, err = g.list(op)
		case operation.Poll:
			text, err = g.poll(op)
		case operation.Ticket:
			text, err = g.ticket(op)
		case operation.Row, operation.Object, operation.Write, operation.Creation, operation.Deletion,
			operation.Fork:
			text, err = g.single(op)
		default:
			err = fmt.Errorf("there are no methods of kind %s", op.Kind)
		}
		if err != nil {
			return "", fmt.Errorf("operation %s: %w", op.ID, err)
		}
		b.WriteString("\n" + text)
	}
	return b.String(), nil
}

// single renders the method of an operation about one thing.
func (g *generator) single(op *operation.Operation) (string, error) {
	name := camel(op.ID)
	if err := g.claim("method " + name); err != nil {
		return "", err
	}
	if len(op.PathParamNames()) != strings.Count(op.Path, "{") {
		return "", fmt.Errorf("the path %s has places that are no whole segment", op.Path)
	}
	m := method{op: op}
	parameters, path, guard, in := "ctx context.Context", fmt.Sprintf("%q", op.Path), "", ""
	if op.HasID() {
		ids := placed(op)
		parameters += ", " + strings.Join(ids, ", ") + " string"
		path = fmt.Sprintf("record(%q, %s)", op.Path, strings.Join(ids, ", "))
		guard = fmt.Sprintf("if %s == \"\" {\nreturn nil, failed(%q, errNoID)\n}\n",
			strings.Join(ids, ` == "" || `), op.ID)
	}
	for _, p := range op.Query() {
		if p.Type != operation.Sequence || in != "" {
			return "", fmt.Errorf("there is no form for the parameter %s", p.Name)
		}
		parameters += ", " + p.Name + " uint64"
		in = fmt.Sprintf(", query: sequence(%q, %s)", p.Name, p.Name)
		m.query = append(m.query, selector{name: p.Name, goType: "uint64", plain: p.Doc, required: true})
	}
	if op.In != nil && len(jsonfield.Of(op.In)) > 0 {
		input, err := g.input(op.In, op.ID)
		if err != nil {
			return "", err
		}
		parameters += ", in " + input
		in, m.input = ", in: in", input
	}
	out, err := g.output(op.Out, op.ID)
	if err != nil {
		return "", err
	}
	m.output = out
	answer, call := out, fmt.Sprintf("read[%s](ctx, c, ", out)
	method := ""
	if op.Key != operation.KeyNone {
		call, method = fmt.Sprintf("write[%s](ctx, c, ", out), ", method: "+methodName(op.Method)
	}
	systemOf := ", system: " + keyOf(op)
	switch op.Kind {
	case operation.Creation:
		answer, call, systemOf = "Sandbox", "c.create(ctx, ", ""
	case operation.Fork:
		answer, call = "Sandbox", "c.create(ctx, "
	default:
	}
	text := comment(append([]string{name + " sends " + op.Method + " " + op.Path + ": " + lowered(op.Summary) + "."},
		about(op)...)...)
	text += fmt.Sprintf("func (c *Client) %s(%s) (*%s, error) {\n%sreturn %srequest{operation: %q%s, path: %s%s%s})\n"+
		"}\n", name, parameters, answer, guard, call, op.ID, method, path, systemOf, in)
	if op.Preview == nil {
		g.methods = append(g.methods, m)
		return text, nil
	}
	preview, err := g.preview(op, name, &m)
	g.methods = append(g.methods, m)
	return text + "\n" + preview, err
}

// preview renders the method that asks for the dry run of a write.
func (g *generator) preview(op *operation.Operation, name string, m *method) (string, error) {
	if err := g.claim("method Preview" + name); err != nil {
		return "", err
	}
	out, err := g.output(op.Preview, op.ID)
	if err != nil {
		return "", err
	}
	m.preview = out
	text := comment("Preview" + name + " sends " + op.Method + " " + op.Path +
		" with dry_run: it returns the expected result or error, and does nothing.")
	return text + fmt.Sprintf("func (c *Client) Preview%s(ctx context.Context, in %sInput) (*%s, error) {\n"+
		"in.DryRun = new(true)\n"+
		"return write[%s](ctx, c, request{operation: %q, method: %s, path: %q, system: %s, in: in})\n}\n",
		name, name, out, out, op.ID, methodName(op.Method), op.Path, keyOf(op)), nil
}

// keyOf names the key that a method picks.
func keyOf(op *operation.Operation) string {
	if op.Grading == operation.GradingAlone {
		return "judged"
	}
	return string(op.System)
}

// placed are the names of a method's ids.
func placed(op *operation.Operation) []string {
	ids := op.PathParamNames()
	for i, place := range ids {
		if first, rest, ok := strings.Cut(place, "_"); ok {
			ids[i] = first + camel(rest)
		}
	}
	return ids
}

// ticket renders the method that looks at a queue ticket: its response is one
// of two things.
func (g *generator) ticket(op *operation.Operation) (string, error) {
	name := camel(op.ID)
	if err := g.claim("method " + name); err != nil {
		return "", err
	}
	waiting, err := g.output(op.Accepted, op.ID)
	if err != nil {
		return "", err
	}
	g.methods = append(g.methods, method{op: op, output: waiting})
	text := comment(append([]string{name + " sends " + op.Method + " " + op.Path + ": " + lowered(op.Summary) +
		". It returns the sandbox, or the state of the ticket."}, about(op)...)...)
	guard := fmt.Sprintf("if id == \"\" {\nreturn %s, failed(%q, errNoID)\n}\n", "nil, nil", op.ID)
	return text + fmt.Sprintf("func (c *Client) %s(ctx context.Context, id string) (*Sandbox, *%s, error) {\n"+
		"%sreturn c.look(ctx, request{operation: %q, path: record(%q, id)})\n}\n",
		name, waiting, guard, op.ID, op.Path), nil
}

func methodName(method string) string {
	for name, text := range map[string]string{
		"MethodPost": http.MethodPost, "MethodPatch": http.MethodPatch, "MethodPut": http.MethodPut,
		"MethodDelete": http.MethodDelete,
	} {
		if text == method {
			return "http." + name
		}
	}
	return fmt.Sprintf("%q", method)
}

// about are the paragraphs of a method's comment after the first.
func about(op *operation.Operation) []string {
	paragraphs := []string{op.Description}
	if len(op.Events) > 0 {
		names := make([]string, len(op.Events))
		for i, t := range op.Events {
			names[i] = string(t)
		}
		noun := "event"
		if len(names) > 1 {
			noun = "events"
		}
		paragraphs = append(paragraphs, "It can write the "+noun+" "+enumerated(names)+".")
	}
	if len(op.Problems) > 0 {
		codes := make([]string, len(op.Problems))
		for i, code := range op.Problems {
			codes[i] = fmt.Sprintf("%s (%d)", code, problem.Lookup(code).Status)
		}
		paragraphs = append(paragraphs, "It can fail with "+enumerated(codes)+", beside the errors of every request.")
	}
	return paragraphs
}

// list renders the methods of a list: one page, and all of them.
func (g *generator) list(op *operation.Operation) (string, error) {
	name := camel(op.ID)
	plural, ok := strings.CutPrefix(name, "List")
	if !ok {
		return "", fmt.Errorf("the id of a list begins with list_")
	}
	all, what := plural, "rows"
	if op.Kind == operation.Feed {
		// The plain name is written by hand: it takes only a number.
		all, what = plural+"Where", "events"
	}
	for _, method := range []string{name, all} {
		if err := g.claim("method " + method); err != nil {
			return "", err
		}
	}
	out, err := g.output(op.Out, op.ID)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(g.params(op, name, out))
	b.WriteString("\n" + comment(append([]string{name + " reads one page of GET " + op.Path + "."}, about(op)...)...))
	path, ids := fmt.Sprintf("%q", op.Path), ""
	if op.HasID() {
		path, ids = fmt.Sprintf("record(%q, %s)", op.Path, strings.Join(placed(op), ", ")),
			strings.Join(placed(op), ", ")+" string, "
	}
	request := fmt.Sprintf("request{operation: %q, path: %s, system: %s}", op.ID, path, keyOf(op))
	fmt.Fprintf(&b, "func (c *Client) %s(ctx context.Context, %sparams %sParams) (*Page[%s], error) {\n"+
		"return readPage[%s](ctx, c, &%s, params.selection())\n}\n", name, ids, name, out, out, request)
	b.WriteString("\n" +
		comment(all+" reads all "+what+" of "+name+", page after page, and ends with the first error."))
	fmt.Fprintf(&b, "func (c *Client) %s(ctx context.Context, %sparams %sParams) iter.Seq2[%s, error] {\n"+
		"return readAll[%s](ctx, c, %s, params.selection())\n}\n", all, ids, name, out, out, request)
	return b.String(), nil
}

// poll renders the method that waits for events.
func (g *generator) poll(op *operation.Operation) (string, error) {
	name := camel(op.ID)
	if err := g.claim("method " + name); err != nil {
		return "", err
	}
	out, err := g.output(op.Out, op.ID)
	if err != nil {
		return "", err
	}
	text := g.params(op, name, out) +
		"\n" + comment(append([]string{name + " sends " + op.Method + " " + op.Path + ": " + lowered(op.Summary) + "."},
		about(op)...)...)
	return text + fmt.Sprintf("func (c *Client) %s(ctx context.Context, params %sParams) (*Page[%s], error) {\n"+
		"return readPage[%s](ctx, c, &request{operation: %q, path: %q, system: %s}, params.selection())\n}\n",
		name, name, out, out, op.ID, op.Path, op.System), nil
}

// selector is a query parameter as a field of a list's parameters.
type selector struct {
	name, field, goType, doc string
	// plain is doc without the names of Go in it, required is set for one that has
	// no default.
	plain    string
	required bool
	// set is the statement that adds the field p.… to the selection s.
	set string
}

// params renders the struct of a list's parameters, and notes them with the rows that
// they choose.
func (g *generator) params(op *operation.Operation, name, out string) string {
	var own, common []selector
	for _, p := range op.Query() {
		if f := g.selector(op, &p); p.Common {
			common = append(common, f)
		} else {
			own = append(own, f)
		}
	}
	var b strings.Builder
	b.WriteString(comment(name + "Params chooses what " + name + " reads. Empty fields choose nothing."))
	fmt.Fprintf(&b, "type %sParams struct {\n", name)
	all := append(own, common...)
	g.methods = append(g.methods, method{op: op, output: out, query: all})
	for _, f := range all {
		b.WriteString(comment(f.doc))
		fmt.Fprintf(&b, "%s %s\n", f.field, f.goType)
	}
	tag := `""`
	if op.Kind != operation.Poll {
		tag = "p.IfNoneMatch"
		b.WriteString(comment("IfNoneMatch is the ETag of the same page read before. " +
			"When nothing has changed, the error is ErrNotModified."))
		b.WriteString("IfNoneMatch string\n")
	}
	fmt.Fprintf(&b, "}\n\nfunc (p %sParams) selection() selection {\n"+
		"s := selecting(p.Limit, p.Cursor, p.UpdatedSince, %s)\n", name, tag)
	for _, f := range own {
		b.WriteString(f.set + "\n")
	}
	b.WriteString("return s\n}\n")
	return b.String()
}

// selector makes a field of a parameter. A filter is typed like the field of the
// row that it is compared with, when that is a text.
func (g *generator) selector(op *operation.Operation, p *operation.Parameter) selector {
	f := selector{name: p.Name, field: camel(p.Name), goType: "string"}
	f.doc, f.plain = fmt.Sprintf("%s is the parameter %s: %s", f.field, p.Name, lowered(p.Doc)), p.Doc
	value := "p." + f.field
	switch p.Type {
	case operation.Sequence:
		f.goType = "uint64"
		condition := value + " != 0"
		if p.Required {
			condition = "p." + camel(p.InsteadOf) + ` == ""`
		}
		f.set = fmt.Sprintf("if %s {\ns.where(%q, strconv.FormatUint(%s, 10))\n}", condition, p.Name, value)
		if p.InsteadOf != "" {
			f.doc += " Not together with " + camel(p.InsteadOf) + "."
			f.plain += " Not together with " + p.InsteadOf + "."
		}
		return f
	case operation.Integer:
		limits := fmt.Sprintf(" %d to %d; the server's default is %d.", p.Minimum, p.Maximum, *p.Default)
		f.doc, f.plain = f.doc+limits, f.plain+limits
		if f.goType = "int"; p.Minimum == 0 {
			f.goType = "*int" // 0 is a value of its own
			f.set = fmt.Sprintf("if %s != nil {\ns.where(%q, strconv.Itoa(*%s))\n}", value, p.Name, value)
		}
		return f
	case operation.Time:
		f.goType = "time.Time"
		return f
	case operation.Text, operation.Date:
	}
	if op.Streams() && p.Name == operation.ParameterTypes {
		f.goType, f.set = "[]EventType", fmt.Sprintf("s.where(%q, joined(%s))", p.Name, value)
		return f
	}
	for _, m := range jsonfield.Of(op.Out) {
		t := m.Type
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if m.JSON == p.Name && t.Kind() == reflect.String {
			f.goType = strings.TrimPrefix(g.text(m, g.structs[op.Out].name), "*")
		}
	}
	if f.goType != "string" {
		value = "string(" + value + ")"
	}
	f.set = fmt.Sprintf("s.where(%q, %s)", p.Name, value)
	return f
}

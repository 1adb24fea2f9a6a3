package main

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"platen/internal/operation"
	"platen/internal/operation/schema"
	"platen/internal/words/event"
	"platen/internal/words/jsonfield"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
	"platen/internal/words/share"
)

// generator collects the types that operations use. Their names are those of
// the OpenAPI document's components.
type generator struct {
	registry *schema.Registry
	structs  map[reflect.Type]*structure
	enums    map[string]*enumeration
	// order lists structs and enumerations as they were met.
	order []declaration
	// claimed keeps two things from having one name.
	claimed map[string]bool
	// methods are the operations as they were met, and eventData the events that have
	// a struct of their own: with order, what the clients in other languages are made of.
	methods   []method
	eventData []eventStruct
}

type declaration interface{ render() string }

func newGenerator() *generator {
	return &generator{
		registry: schema.New(), structs: map[reflect.Type]*structure{}, enums: map[string]*enumeration{},
		claimed: map[string]bool{},
	}
}

func (g *generator) claim(name string) error {
	if g.claimed[name] {
		return fmt.Errorf("there are two of %s", name)
	}
	g.claimed[name] = true
	return nil
}

// structure is a struct of package client.
type structure struct {
	name  string
	input bool
	// users are the operations that name it, holder is the field that holds it,
	// about is its further description.
	users  []string
	holder string
	about  string
	// doc describes the objects themselves.
	doc    string
	fields []fieldOut
}

// fieldOut is a field: in Go by its name and tag, in other languages by its name in JSON.
type fieldOut struct {
	name, goType, tag, doc string
	json                   string
	// required is set for a field that a body must have, omitted for one of a response
	// that may be missing.
	required, omitted bool
}

// sentence says where the struct is met. The name of the struct is its subject.
func (s *structure) sentence() string {
	switch {
	case s.about != "":
		return s.about
	case s.input && len(s.users) > 0:
		return "is the body of " + enumerated(s.users) + "."
	case len(s.users) > 1:
		return "is in the responses of " + enumerated(s.users) + "."
	case len(s.users) == 1:
		return "is in the response of " + s.users[0] + "."
	default:
		return "is the type of " + s.holder + "."
	}
}

func (s *structure) render() string {
	var b strings.Builder
	b.WriteString(comment(s.name+" "+s.sentence(), s.doc))
	fmt.Fprintf(&b, "type %s struct {\n", s.name)
	for _, f := range s.fields {
		b.WriteString(comment(f.doc))
		fmt.Fprintf(&b, "%s %s `json:%q`\n", f.name, f.goType, f.tag)
	}
	b.WriteString("}\n")
	return b.String()
}

// keepBytes adds a field for the bytes that the struct was read from. The client's
// UnmarshalJSON of the struct fills it.
func (s *structure) keepBytes() {
	s.fields = append(s.fields, fieldOut{
		name: "Raw", goType: rawJSON, tag: "-",
		doc: "The event, unchanged, byte for byte, as in the body of a webhook.",
	})
}

// enumeration is a string type with its values.
type enumeration struct {
	name string
	// holders are the fields of this type, about is its further description.
	holders []string
	about   string
	values  []string
	docs    map[string]string
}

func (e *enumeration) render() string {
	var b strings.Builder
	about := e.about
	if about == "" {
		about = "is the type of " + enumerated(e.holders) + "."
	}
	b.WriteString(comment(e.name + " " + about))
	fmt.Fprintf(&b, "type %s string\n\n", e.name)
	b.WriteString(comment("Values of " + e.name + "."))
	b.WriteString("const (\n")
	for _, value := range e.values {
		if doc := e.docs[value]; doc != "" {
			b.WriteString(comment(e.constant(value) + ": " + lowered(doc)))
		}
		fmt.Fprintf(&b, "%s %s = %q\n", e.constant(value), e.name, value)
	}
	b.WriteString(")\n")
	if e.name == eventType || e.name == "FaultKind" { // those that a person types
		b.WriteString("\n" + comment(e.name+"s returns all values of "+e.name+"."))
		fmt.Fprintf(&b, "func %ss() []%s {\nreturn []%s{\n", e.name, e.name, e.name)
		for _, value := range e.values {
			b.WriteString(e.constant(value) + ",\n")
		}
		b.WriteString("}\n}\n")
	}
	return b.String()
}

func (e *enumeration) constant(value string) string {
	if e.name == eventType {
		return "Event" + camel(value)
	}
	return e.name + camel(value)
}

const (
	eventType = "EventType"
	rawJSON   = "json.RawMessage"
)

// types renders everything that was collected, with the vocabulary of events
// and problems.
func (g *generator) types() (string, error) {
	if err := g.events(); err != nil {
		return "", err
	}
	g.structs[reflect.TypeFor[operation.FeedEvent]()].keepBytes()
	var b strings.Builder
	b.WriteString("import (\n\"encoding/json\"\n\"fmt\"\n\"time\"\n)\n")
	for _, d := range g.order {
		b.WriteString("\n" + d.render())
	}
	b.WriteString("\n" + decodeEvent())
	b.WriteString("\n// Codes of errors, as Error.Code has them.\nconst (\n")
	for _, d := range problem.All() {
		b.WriteString(comment(fmt.Sprintf("Code%s (%d): %s", camel(string(d.Code)), d.Status, lowered(d.Meaning))))
		fmt.Fprintf(&b, "Code%s = %q\n", camel(string(d.Code)), d.Code)
	}
	b.WriteString(")\n")
	return b.String(), nil
}

// events adds the types of events and the structs of their data.
func (g *generator) events() error {
	e := &enumeration{
		name: eventType, about: "names a kind of event. Those without a Data struct of their own are not made yet.",
		docs: map[string]string{},
	}
	for _, d := range event.All() {
		e.values = append(e.values, string(d.Type))
		e.docs[string(d.Type)] = d.Cause
		if d.Data == nil {
			continue
		}
		t := reflect.TypeOf(d.Data).Elem()
		if _, err := g.structure(t, false); err != nil {
			return err
		}
		g.structs[t].about = "is the data of " + string(d.Type) + ": " + lowered(d.Cause)
		g.eventData = append(g.eventData, eventStruct{string(d.Type), g.structs[t].name})
	}
	g.order = append(g.order, e)
	return nil
}

// decodeEvent renders the method that gives the data of an event its type.
func decodeEvent() string {
	var b strings.Builder
	b.WriteString(
		comment("Decode returns the event's data in the struct of its type, such as *SalesOrderReceivedData, " +
			"and the unchanged json.RawMessage when this version of the client does not know the type."))
	b.WriteString("func (e *FeedEvent) Decode() (any, error) {\nvar data any\nswitch e.Type {\n")
	constant := enumeration{name: eventType}
	for _, d := range event.All() {
		if d.Data != nil {
			fmt.Fprintf(&b, "case %s:\ndata = new(%s)\n",
				constant.constant(string(d.Type)), reflect.TypeOf(d.Data).Elem().Name())
		}
	}
	b.WriteString("default:\nreturn e.Data, nil\n}\nif err := json.Unmarshal(e.Data, data); err != nil {\n" +
		"return nil, fmt.Errorf(\"platen: decode event %s: %w\", e.ID, err)\n}\nreturn data, nil\n}\n")
	return b.String()
}

// output returns the name of the struct of a response.
func (g *generator) output(t reflect.Type, user string) (string, error) {
	return g.used(t, false, user)
}

// input returns the name of the struct of a body.
func (g *generator) input(t reflect.Type, user string) (string, error) {
	return g.used(t, true, user)
}

func (g *generator) used(t reflect.Type, input bool, user string) (string, error) {
	if t == nil || t.Kind() != reflect.Struct || t.Name() == "" {
		return "", fmt.Errorf("%v is no struct with a name", t)
	}
	name, err := g.structure(t, input)
	if err != nil {
		return "", err
	}
	g.structs[t].users = append(g.structs[t].users, user)
	return name, nil
}

// structure notes a struct and everything in it.
func (g *generator) structure(t reflect.Type, input bool) (string, error) {
	if s, ok := g.structs[t]; ok {
		return s.name, nil
	}
	name, err := g.component(t, input)
	if err != nil {
		return "", err
	}
	if err := g.claim("type " + name); err != nil {
		return "", err
	}
	s := &structure{name: name, input: input, doc: jsonfield.About(t)}
	g.structs[t] = s
	g.order = append(g.order, s)
	for _, m := range jsonfield.Of(t) {
		goType, err := g.goType(m.Type, m, s)
		if err != nil {
			return "", fmt.Errorf("%s of %s: %w", m.JSON, t, err)
		}
		s.fields = append(s.fields,
			fieldOut{
				name: m.Name, goType: goType, tag: tagOf(&m, goType), doc: docOf(&m, input),
				json: m.JSON, required: m.Required(), omitted: m.Omits,
			})
	}
	return name, nil
}

// component is a type's name in the OpenAPI document. Bodies end in Input,
// because a type must not have the name of a function.
func (g *generator) component(t reflect.Type, input bool) (string, error) {
	if !input {
		return lastOf(g.registry.Ref(t).Ref), nil
	}
	in, err := schema.NewInput(g.registry, t)
	if err != nil {
		return "", fmt.Errorf("%s: %w", t, err)
	}
	return strings.TrimSuffix(lastOf(in.Ref().Ref), "Input") + "Input", nil
}

func lastOf(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// goType is the type of a field in package client.
func (g *generator) goType(t reflect.Type, m jsonfield.Field, s *structure) (string, error) {
	switch t {
	case reflect.TypeFor[moment.Instant]():
		return "time.Time", nil
	case reflect.TypeFor[moment.Date]():
		return "Date", nil
	case reflect.TypeFor[share.PerCent](), reflect.TypeFor[share.PPM]():
		return "float64", nil
	case reflect.TypeFor[map[string]any]():
		return rawJSON, nil
	case reflect.TypeFor[event.Type]():
		return eventType, nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		if s.input && t.Elem().Kind() == reflect.Slice {
			return g.goType(t.Elem(), m, s)
		}
		return prefixed("*", t.Elem(), g, m, s)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return rawJSON, nil // such as jsontext.Value: JSON of any form
		}
		return prefixed("[]", t.Elem(), g, m, s)
	case reflect.Map:
		return prefixed("map[string]", t.Elem(), g, m, s)
	case reflect.Struct:
		if t.Name() == "" {
			return "", errors.New("a struct without a name")
		}
		name, err := g.structure(t, s.input)
		if err == nil && g.structs[t].holder == "" {
			g.structs[t].holder = s.name + "." + m.Name
		}
		return name, err
	case reflect.String:
		m.Type = t
		return g.text(m, s.name), nil
	case reflect.Bool, reflect.Float64:
		return t.Kind().String(), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "int64", nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "uint64", nil
	default:
		return "", fmt.Errorf("nothing in package client stands for a %s", t)
	}
}

func prefixed(prefix string, t reflect.Type, g *generator, m jsonfield.Field, s *structure) (string, error) {
	inner, err := g.goType(t, m, s)
	return prefix + inner, err
}

// text is the type of a text: an enumeration where the tag lists its values.
func (g *generator) text(m jsonfield.Field, owner string) string {
	values := m.Enum()
	if len(values) == 0 {
		return "string"
	}
	t, pointer := m.Type, ""
	if t.Kind() == reflect.Pointer {
		t, pointer = t.Elem(), "*"
	}
	name := enumName(t, owner, m.Name)
	e := g.enums[name]
	if e == nil {
		e = &enumeration{name: name}
		g.enums[name] = e
		g.order = append(g.order, e)
	}
	if holder := owner + "." + m.Name; !slices.Contains(e.holders, holder) {
		e.holders = append(e.holders, holder)
	}
	for _, value := range values {
		if !slices.Contains(e.values, value) {
			e.values = append(e.values, value)
		}
	}
	return pointer + name
}

package resource

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"platen/client"
	"platen/cmd/platen/cli"
)

// Line writes the command of an item that needs attention as one of the terminal, with numbers in place of ids. A
// request that no command about records sends is one of platen api.
func Line(item *client.AttentionItem) string {
	c := item.Command
	numbers := map[string]string{}
	for _, r := range item.Records {
		if numberForm.MatchString(r.Number) && r.Resource != "delivery" { // its number is that of the purchase order
			numbers[r.ID] = r.Number
		}
	}
	name := func(id string) string {
		if number, ok := numbers[id]; ok {
			return number
		}
		return id
	}
	i := slices.IndexFunc(Table(), func(op Operation) bool { return op.ID == c.Operation })
	var values map[string]json.RawMessage
	if i < 0 || json.Unmarshal(c.Body, &values) != nil {
		return cli.RequestLine(c)
	}
	op := Table()[i]
	words := []string{"platen", op.Resource, op.Verb}
	if short := aliases[op.Resource]; len(short) > 0 {
		words[1] = short[0]
	}
	path := strings.Split(c.Path, "/")
	for i, part := range strings.Split(op.Path, "/") {
		if strings.HasPrefix(part, "{") {
			words = append(words, name(path[i]))
		}
	}
	for i := range op.Fields {
		f := &op.Fields[i]
		value, sent := values[f.Name]
		if !sent {
			continue
		}
		delete(values, f.Name)
		for _, text := range f.texts(value, name) {
			words = append(words, "--"+f.Flag(), quoted(text))
		}
	}
	if len(values) > 0 {
		return cli.RequestLine(c)
	}
	return strings.Join(words, " ")
}

// texts writes a value as those of the field's flag.
func (f *Field) texts(value json.RawMessage, name func(string) string) (texts []string) {
	switch f.Kind {
	case Objects:
		var objects []map[string]json.RawMessage
		_ = json.Unmarshal(value, &objects) // of the server's own schema
		for _, object := range objects {
			var pairs []string
			for _, part := range f.Fields {
				if v, ok := object[part.Name]; ok {
					pairs = append(pairs, part.Name+"="+name(plain(v)))
				}
			}
			texts = append(texts, strings.Join(pairs, ","))
		}
	case Texts:
		var all []string
		_ = json.Unmarshal(value, &all)
		for i := range all {
			all[i] = name(all[i])
		}
		texts = append(texts, strings.Join(all, ","))
	case Text, Integer, Boolean:
		texts = append(texts, name(plain(value)))
	}
	return texts
}

// plain is a JSON value as a word of a command line.
func plain(value json.RawMessage) string {
	var v any
	if json.Unmarshal(value, &v) == nil {
		if text, ok := v.(string); ok {
			return text
		}
	}
	return string(value)
}

var bare = regexp.MustCompile(`^[A-Za-z0-9_.,:=@%+/-]+$`)

// quoted is a word for a shell.
func quoted(word string) string {
	if bare.MatchString(word) {
		return word
	}
	return fmt.Sprintf("'%s'", strings.ReplaceAll(word, "'", `'\''`))
}

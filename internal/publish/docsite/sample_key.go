package docsite

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"platen/internal/operation"
	"platen/internal/publish/specimen"
)

// onceKey explains a key without an ordinal.
const onceKey = "The key names the step and its record: a retry sends it again."

// nameKey fills in the idempotency key of a sample, and the variables of its body.
func (l *library) nameKey(c *call, op *operation.Operation) {
	key, ok := specimen.KeyOf(op)
	if !ok {
		return
	}
	c.IdempotencyKey, c.Note = key.Text, cmp.Or(key.Again, onceKey)
	for _, field := range slices.Sorted(maps.Keys(key.From)) {
		value := key.From[field]
		if strings.HasPrefix(value, "/") {
			value = l.exampleID(value, "id")
		}
		c.Places = append(c.Places, pathPlace{
			place: field, words: strings.Split(field, "_"), Value: value, InBody: true,
		})
	}
}

// inText writes a text with names in braces for a language: each variable stands between before and after.
func (c call) inText(text string, name func(pathPlace) string, before, after string) string {
	for _, p := range c.Places {
		text = strings.ReplaceAll(text, "{"+p.Snake()+"}", before+name(p)+after)
	}
	return text
}

// inBody does the same in a body, where a variable takes its quotation marks along.
func (c call) inBody(text string, name func(pathPlace) string, before, after string) string {
	for _, p := range c.Places {
		text = strings.ReplaceAll(text, `"{`+p.Snake()+`}"`, before+name(p)+after)
	}
	return text
}

// ShellKey is the key with variables of a shell.
func (c call) ShellKey() string { return c.inText(c.IdempotencyKey, pathPlace.Shell, "$", "") }

// PythonKey is the key as an expression of Python.
func (c call) PythonKey() string {
	if strings.Contains(c.IdempotencyKey, "{") {
		return `f"` + c.IdempotencyKey + `"`
	}
	return `"` + c.IdempotencyKey + `"`
}

// JavaScriptKey is the key as an expression of JavaScript.
func (c call) JavaScriptKey() string {
	if strings.Contains(c.IdempotencyKey, "{") {
		return "`" + c.inText(c.IdempotencyKey, pathPlace.Camel, "${", "}") + "`"
	}
	return `"` + c.IdempotencyKey + `"`
}

// GoKey is the key as an expression of Go.
func (c call) GoKey() string {
	return strings.TrimSuffix(`"`+c.inText(c.IdempotencyKey, pathPlace.Mixed, `" + `, ` + "`)+`"`, ` + ""`)
}

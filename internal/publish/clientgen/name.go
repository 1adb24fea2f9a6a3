package main

import (
	"path"
	"reflect"
	"slices"
	"strings"
)

// initialisms are the words that Go spells in capitals.
var initialisms = []string{"api", "csv", "hr", "id", "json", "ok", "sku", "url"} //nolint:gochecknoglobals // read only

// camel joins the words of a name of the contract: accept_sales_order is
// AcceptSalesOrder.
func camel(name string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(name, func(c rune) bool { return c == '_' || c == '.' || c == '-' }) {
		if slices.Contains(initialisms, word) {
			b.WriteString(strings.ToUpper(word))
		} else {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}

// renamed are enumerations whose package or owner does not tell their subject.
var renamed = map[string]string{ //nolint:gochecknoglobals // read only
	"preset.Bridge":               "Bridge",
	"sandbox.Split":               "Split",
	"sim.Mode":                    "ClockMode",
	"event.DisruptionKind":        "LoreDisruptionKind",
	"event.Role":                  "CatalogRole",
	"event.ErrorClass":            "DeliveryErrorClass",
	"subscription.LastErrorClass": "SubscriptionLastErrorClass",
	"SandboxStatus.Status":        "SandboxState",
	"TickResult.Status":           "SandboxState",
}

// enumName names the type of an enumeration: for its type on the server's side,
// with the package in front unless it is there already, and where it has
// none there, for the field.
func enumName(t reflect.Type, owner, member string) string {
	if t.PkgPath() == "" {
		if name, ok := renamed[owner+"."+member]; ok {
			return name
		}
		return owner + member
	}
	pkg := path.Base(t.PkgPath())
	if name, ok := renamed[pkg+"."+t.Name()]; ok {
		return name
	}
	prefix := camel(pkg)
	if strings.HasPrefix(t.Name(), prefix) {
		return t.Name()
	}
	return prefix + t.Name()
}

const commentWidth = 96

// comment renders paragraphs as a comment, each paragraph wrapped. Empty ones
// are left out.
func comment(paragraphs ...string) string {
	var b strings.Builder
	for _, paragraph := range paragraphs {
		if strings.TrimSpace(paragraph) == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("//\n")
		}
		line := ""
		for word := range strings.FieldsSeq(paragraph) {
			if line != "" && len(line)+1+len(word) > commentWidth {
				b.WriteString("//" + line + "\n")
				line = ""
			}
			line += " " + word
		}
		b.WriteString("//" + line + "\n")
	}
	return b.String()
}

// lowered makes the beginning of a sentence its middle.
func lowered(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToLower(text[:1]) + text[1:]
}

// enumerated joins words: a, b and c.
func enumerated(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

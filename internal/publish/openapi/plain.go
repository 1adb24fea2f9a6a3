package openapi

import (
	"encoding/json"
	"fmt"
	"strings"
)

// member is an object of the document.
type member = map[string]any

// Plain returns a document that Document wrote, without the forms that some generators of clients refuse: choices
// between required fields, which descriptions say too; the types of events, which come as one type whose data is any
// object; headers of successes; lists in CSV. It describes the same requests and responses.
func Plain(document []byte) ([]byte, error) {
	var whole member
	if err := json.Unmarshal(document, &whole); err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	paths := of(whole, "paths")
	for path, item := range paths {
		if strings.HasSuffix(path, suffixCSV) {
			delete(paths, path)
		}
		for _, op := range of(item) {
			for status, r := range of(op, "responses") {
				if strings.HasPrefix(status, "2") {
					delete(of(r), "headers")
				}
			}
		}
	}
	all := of(whole, "components", "schemas")
	anyEvent := of(all, otherEvent)
	anyEvent["description"] = "An event of the sandbox's feed. Its type decides the fields of data."
	if parts, ok := anyEvent["allOf"].([]any); ok {
		of(parts[len(parts)-1], "properties")["type"] = member{
			"type": "string", "description": "The system, the kind of record, and the thing that happened to it.",
		}
	}
	all[feedEvent] = anyEvent
	unchoose(all)
	prune(whole)
	plain, err := json.Marshal(whole)
	if err != nil {
		return nil, fmt.Errorf("write the plain document: %w", err)
	}
	return plain, nil
}

// of is an object inside another, by the names that lead to it.
func of(node any, names ...string) member {
	object, _ := node.(member)
	for _, name := range names {
		object, _ = object[name].(member)
	}
	return object
}

// unchoose takes away the lists of fields of which an object has to have one.
func unchoose(node any) {
	switch node := node.(type) {
	case member:
		if choices, ok := node["oneOf"].([]any); ok && of(choices[0])["required"] != nil {
			delete(node, "oneOf")
		}
		for _, child := range node {
			unchoose(child)
		}
	case []any:
		for _, child := range node {
			unchoose(child)
		}
	}
}

// prune takes away the components that no path leads to.
func prune(whole member) {
	components := of(whole, "components")
	used := map[string]bool{}
	var reach func(node any)
	reach = func(node any) {
		switch node := node.(type) {
		case member:
			if ref, ok := node["$ref"].(string); ok && !used[ref] {
				used[ref] = true
				kind, name, _ := strings.Cut(strings.TrimPrefix(ref, "#/components/"), "/")
				reach(of(components, kind)[name])
			}
			for _, child := range node {
				reach(child)
			}
		case []any:
			for _, child := range node {
				reach(child)
			}
		}
	}
	reach(whole["paths"])
	for kind, named := range components {
		for name := range of(named) {
			if kind != "securitySchemes" && !used["#/components/"+kind+"/"+name] {
				delete(of(named), name)
			}
		}
	}
}

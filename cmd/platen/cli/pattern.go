package cli

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"platen/client"
)

// eventTypes returns the types that some names and patterns mean: factory.* means all that
// begin with it. None means all. Whether a name without a * is one is for the server to say,
// which may know more.
func eventTypes(patterns []string) ([]client.EventType, error) {
	var types []client.EventType
	for _, pattern := range patterns {
		pattern = strings.TrimSpace(pattern)
		if pattern == "*" {
			return nil, nil
		}
		if !strings.Contains(pattern, "*") {
			types = append(types, client.EventType(pattern))
			continue
		}
		before := len(types)
		for _, t := range client.EventTypes() {
			if ok, _ := path.Match(pattern, string(t)); ok && !slices.Contains(types, t) {
				types = append(types, t)
			}
		}
		if len(types) == before {
			return nil, usagef("no event type is like %q; they begin with office., factory., hr., world. or sandbox.",
				pattern)
		}
	}
	return types, nil
}

// RequestFilter chooses requests. Empty fields choose all.
type RequestFilter struct {
	// Statuses are statuses such as 422, or classes such as 4xx.
	Statuses []string
	// Methods are HTTP methods.
	Methods []string
	// Path is a path in which * stands for anything, such as /factory/*.
	Path string
	// System is office or factory.
	System string

	path *regexp.Regexp
}

var statusForm = regexp.MustCompile(`^[1-5](xx|[0-9][0-9])$`)

// check refuses filters that fit no request, and prepares the others.
func (f *RequestFilter) check() error {
	for i, status := range f.Statuses {
		if f.Statuses[i] = strings.ToLower(status); !statusForm.MatchString(f.Statuses[i]) {
			return usagef("--status must be a status such as 422 or a class such as 4xx, not %q", status)
		}
	}
	for i, method := range f.Methods {
		if f.Methods[i] = strings.ToUpper(method); !slices.Contains([]string{
			"GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS",
		}, f.Methods[i]) {
			return usagef("--method must be a method such as POST, not %q", method)
		}
	}
	if f.System != "" && f.System != string(client.LoggedCallSystemOffice) &&
		f.System != string(client.LoggedCallSystemFactory) {
		return usagef("--system must be office or factory, not %q", f.System)
	}
	if f.Path != "" {
		wanted := strings.TrimPrefix("/"+strings.TrimPrefix(f.Path, "/"), client.BasePath)
		f.path = regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(wanted), `\*`, ".*") + "$")
	}
	return nil
}

// takes reports whether a request is wanted.
func (f *RequestFilter) takes(call *client.LoggedCall) bool {
	hasStatus := len(f.Statuses) == 0 || slices.ContainsFunc(f.Statuses, func(wanted string) bool {
		class, isClass := strings.CutSuffix(wanted, "xx")
		status := strconv.FormatInt(call.Status, 10)
		return wanted == status || isClass && strings.HasPrefix(status, class)
	})
	return hasStatus && (len(f.Methods) == 0 || slices.Contains(f.Methods, call.Method)) &&
		(f.System == "" || f.System == string(call.System)) &&
		(f.path == nil || f.path.MatchString(strings.TrimPrefix(call.Path, client.BasePath)))
}

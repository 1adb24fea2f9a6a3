package docsite

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"platen/internal/operation"
	"platen/internal/words/problem"
)

// problemView is the data of a code's page.
type problemView struct {
	problem.Definition
	StatusText string
	// Everywhere is set when every operation may give it.
	Everywhere bool
	// Givers are the operations that may give it, by system.
	Givers []giverGroup
	Sample string
	// Provoke is a command that gets the code, nil where that takes more than a call.
	Provoke *provocation
}

// giverGroup is the operations of one system.
type giverGroup struct {
	System     operation.System
	Operations []*operation.Operation
}

// problemGroup is the codes of one status.
type problemGroup struct {
	Status     int
	StatusText string
	Problems   []problem.Definition
}

func problemPath(code problem.Code) string { return "/docs/errors/" + string(code) }

func (l *library) problemView(d problem.Definition) problemView {
	v := problemView{
		Definition: d, StatusText: http.StatusText(d.Status), Sample: l.problemSample(d.Code),
		Provoke: l.provocation(d.Code),
	}
	count := 0
	for i := range l.operations {
		op := &l.operations[i]
		if !slices.Contains(op.Common(), d.Code) {
			continue
		}
		count++
		last := len(v.Givers) - 1
		if last < 0 || v.Givers[last].System != op.System {
			v.Givers = append(v.Givers, giverGroup{System: op.System})
			last++
		}
		v.Givers[last].Operations = append(v.Givers[last].Operations, op)
	}
	v.Everywhere = count == len(l.operations)
	v.Givers = merged(v.Givers)
	return v
}

// merged joins groups of one system that were apart in the table.
func merged(groups []giverGroup) []giverGroup {
	var out []giverGroup
	for _, g := range groups {
		i := slices.IndexFunc(out, func(o giverGroup) bool { return o.System == g.System })
		if i < 0 {
			out = append(out, g)
			continue
		}
		out[i].Operations = append(out[i].Operations, g.Operations...)
	}
	return out
}

// problemSample is an error with this code as a response has it, in JSON.
func (l *library) problemSample(code problem.Code) string {
	e := l.refusals[code]
	e.DocsURL = l.origin + problemPath(code)
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(e) // of texts, and of JSON that was read
	return strings.TrimSpace(indented(b.Bytes()))
}

func (l *library) addProblems() error {
	var groups []problemGroup
	list, all := contents{Title: "Errors"}, []link{}
	for _, d := range l.problems {
		last := len(groups) - 1
		if last < 0 || groups[last].Status != d.Status {
			groups = append(groups, problemGroup{Status: d.Status, StatusText: http.StatusText(d.Status)})
			last++
		}
		groups[last].Problems = append(groups[last].Problems, d)
		list.Links = append(list.Links,
			link{Path: problemPath(d.Code), Text: string(d.Code), Mark: strconv.Itoa(d.Status), Code: true})
		all = append(all, link{Path: problemPath(d.Code), Text: string(d.Code), Code: true})
	}
	beside := []contents{list}
	const path = "/docs/errors"
	err := l.add(path, path, func() (page, error) {
		return page{
			Template: "errors", Title: "Errors", Contents: beside, Content: groups,
			Description: "Every error code, with its status and its remedy.",
		}, nil
	})
	for i, d := range l.problems {
		if err != nil {
			return err
		}
		err = l.add(problemPath(d.Code), path, func() (page, error) {
			p := page{
				Template: "error", Title: string(d.Code), Contents: beside, Content: l.problemView(d),
				Description: d.Meaning,
			}
			p.Previous, p.Next = neighbours(all, i)
			return p, nil
		})
	}
	return err
}

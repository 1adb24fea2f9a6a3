package openapi

import (
	"path"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"platen/internal/operation"
	"platen/internal/words/wire"
)

// suffixCSV is the end of a list's path that asks for CSV.
const suffixCSV = ".csv"

// tables adds the CSV of all lists: one operation for the lists of a folder, a fifth of the text that one for
// each list would take.
func (w *writer) tables(table []operation.Operation) {
	folders := map[string][]*operation.Operation{}
	for i := range table {
		if op := &table[i]; op.Paged() && op.Kind != operation.Poll {
			folder := strings.TrimSuffix(path.Dir(op.Path), "/")
			folders[folder] = append(folders[folder], op)
		}
	}
	for folder, lists := range folders {
		at, exported := folder+"/{list}", w.export(lists[0])
		if len(lists) == 1 {
			at = lists[0].Path
			exported.OperationID = "export_" + strings.TrimPrefix(lists[0].ID, "list_")
		} else {
			exported.OperationID = strings.ReplaceAll("export"+folder+"_csv", "/", "_")
			exported.Parameters = append(exported.Parameters, listNames(lists))
		}
		w.document.Paths[at+suffixCSV] = &huma.PathItem{Get: exported}
	}
}

// listNames is the parameter that names a list of a folder.
func listNames(lists []*operation.Operation) *huma.Param {
	name := &huma.Param{
		Name: "list", In: string(operation.InPath), Required: true,
		Description: "The list, as in its path; /docs/api has a page for each.",
		Schema:      &huma.Schema{Type: huma.TypeString}, Example: path.Base(lists[0].Path),
	}
	for _, op := range lists {
		name.Schema.Enum = append(name.Schema.Enum, any(path.Base(op.Path)))
	}
	return name
}

// export is the CSV of a list, with the parameters that each list has.
func (w *writer) export(list *operation.Operation) *huma.Operation {
	params := slices.DeleteFunc(w.parameters(list), func(p *huma.Param) bool { return p.Ref == "" })
	responses := map[string]*huma.Response{
		"200": {
			Description: "Success.", Headers: w.headers(wire.HeaderETag, wire.HeaderLink),
			Content: map[string]*huma.MediaType{mediaCSV: {Schema: &huma.Schema{Type: huma.TypeString}}},
		},
		"304":     {Ref: responseRef + unchanged},
		"default": w.anyError(),
	}
	w.refusals(list, responses)
	return &huma.Operation{
		Summary: "Export a list as CSV", Tags: []string{string(list.System), string(list.Task())},
		Description: "The rows of the list with the fields as columns, without an envelope. Link names the next " +
			"page. The list's own filters work too.",
		Parameters: params, Responses: responses, Security: security(list),
	}
}

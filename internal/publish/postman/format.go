package postman

// The types below are the part of Postman's format v2.1.0 that a collection of Platen has.

const format = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"

type collection struct {
	Info struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Schema      string `json:"schema"`
	} `json:"info"`
	Auth     *auth      `json:"auth,omitempty"`
	Item     []item     `json:"item"`
	Variable []variable `json:"variable"`
}

// item is a folder, which has items, or a request.
type item struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Auth        *auth    `json:"auth,omitempty"`
	Item        []item   `json:"item,omitempty"`
	Event       []script `json:"event,omitempty"`
	Request     *request `json:"request,omitempty"`
}

type request struct {
	Method      string      `json:"method"`
	Description string      `json:"description,omitempty"`
	Auth        *auth       `json:"auth,omitempty"`
	URL         address     `json:"url"`
	Header      []parameter `json:"header"`
	Body        *body       `json:"body,omitempty"`
}

type address struct {
	Raw   string      `json:"raw"`
	Host  []string    `json:"host"`
	Path  []string    `json:"path"`
	Query []parameter `json:"query,omitempty"`
}

// parameter is one of a query, or a header.
type parameter struct {
	Key         string `json:"key"`
	Value       string `json:"value"`
	Description string `json:"description,omitempty"`
	Disabled    bool   `json:"disabled,omitempty"`
}

type body struct {
	Mode    string `json:"mode"`
	Raw     string `json:"raw"`
	Options struct {
		Raw struct {
			Language string `json:"language"`
		} `json:"raw"`
	} `json:"options"`
}

func jsonBody(raw string) *body {
	b := &body{Mode: "raw", Raw: raw}
	b.Options.Raw.Language = "json"
	return b
}

type variable struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	Type  string `json:"type"`
}

type auth struct {
	Type   string     `json:"type"`
	Bearer []variable `json:"bearer,omitempty"`
}

// bearer sends the key that a variable of the collection keeps.
func bearer(key string) *auth {
	return &auth{Type: "bearer", Bearer: []variable{{"token", "{{" + key + "}}", "string"}}}
}

func noAuth() *auth { return &auth{Type: "noauth"} }

type script struct {
	Listen string `json:"listen"`
	Script struct {
		Type string   `json:"type"`
		Exec []string `json:"exec"`
	} `json:"script"`
}

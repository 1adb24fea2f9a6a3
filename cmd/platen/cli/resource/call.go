package resource

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"platen/client"
	"platen/cmd/platen/cli"
)

const (
	// pageRows is how many rows a list has unless all are wanted.
	pageRows = 50
	// maxRetries is how often a request is repeated whose response is lost: hardly a second long.
	maxRetries = 2
)

// Call is one request about records, or several for a list.
type Call struct {
	cli.Target

	Operation Operation
	// IDs are those of the path, each an id or a number such as SO-1001.
	IDs []string
	// Values are the values of fields by name: texts, whole numbers, booleans, lists.
	Values map[string]any
	// All reads all pages of a list.
	All bool
	// JSON prints what the server sent, CSV the fields of a list that hold one value.
	JSON, CSV bool
	// Columns are the fields of a list to show, all or as many as fit where there are none.
	Columns []string
	// IdempotencyKey of a write; one is made when it is empty.
	IdempotencyKey string
	// IfMatch is the ETag that the record must still have, "" for any.
	IfMatch string
	// Out gets the records, Notes the rest.
	Out, Notes io.Writer
}

// Run sends the request and prints what came of it.
func (c *Call) Run(ctx context.Context) error {
	connection, err := c.Connect(client.MaxRetries(maxRetries))
	if err != nil {
		return err //nolint:wrapcheck // it says what is missing
	}
	s := &session{client: connection, ctx: ctx}
	path := pathOf(&c.Operation, c.IDs)
	if c.Operation.Paged {
		return c.list(s, path)
	}
	var body []byte
	if c.Operation.Method != http.MethodGet {
		for name, value := range c.Values {
			if c.Values[name], err = s.resolved(name, c.Operation.System, value); err != nil {
				return err
			}
		}
		if body, err = json.Marshal(c.Values); err != nil {
			return fmt.Errorf("write the body: %w", err)
		}
		if len(c.Operation.Fields) == 0 {
			body = nil
		}
		if c.IdempotencyKey == "" {
			c.IdempotencyKey = rand.Text()
		}
	}
	if c.IdempotencyKey != "" {
		ctx = client.WithIdempotencyKey(ctx, c.IdempotencyKey)
	}
	if c.IfMatch != "" {
		ctx = client.WithIfMatch(ctx, c.IfMatch)
	}
	data, err := connection.Send(ctx, c.Operation.Method, path, body)
	network, lost := errors.AsType[*url.Error](err)
	if lost && c.IdempotencyKey != "" && !errors.Is(err, syscall.ECONNREFUSED) {
		fmt.Fprintf(c.Notes, "The response is lost. To send the same request again, add --idempotency-key %s\n",
			c.IdempotencyKey)
		return network
	}
	switch {
	case err != nil:
		return c.named(err)
	case c.JSON:
		return cli.WriteJSON(c.Out, data) //nolint:wrapcheck // the error of standard output is enough
	case c.Operation.ID == attention:
		var a client.Attention
		if err := json.Unmarshal(data, &a); err != nil {
			return fmt.Errorf("read what needs attention: %w", err)
		}
		if len(a.Items)+len(a.History) == 0 {
			fmt.Fprintln(c.Out, "none")
		}
		cli.WriteAttention(c.Out, &a, Line)
		return nil
	}
	if err := writeRecord(c.Out, data); err != nil {
		return err
	}
	if c.Operation.ID == creation {
		c.writeTest(data)
	}
	if c.Operation.System == "factory" && c.Operation.Method == http.MethodGet {
		c.writeOrder(s, data)
	}
	return nil
}

// creation is the operation whose record needs a test before anything is delivered.
const creation = "create_webhook"

// writeTest writes the command that verifies a new webhook subscription.
func (c *Call) writeTest(record json.RawMessage) {
	var row struct{ ID string }
	if json.Unmarshal(record, &row) == nil {
		fmt.Fprintf(c.Notes, "Nothing is delivered before the URL responds to a test with 2xx: "+
			"platen webhooks test %s\n", row.ID)
	}
}

// orderForm is the form of a reference to a sales order, by its id or its number.
var orderForm = regexp.MustCompile(`^(so_|SO-)\w+$`)

// writeOrder follows the reference of a record of the Factory to the order at Head Office. Without the key for
// that it writes the command that does.
func (c *Call) writeOrder(s *session, record json.RawMessage) {
	var row struct{ Reference string }
	if json.Unmarshal(record, &row) != nil || !orderForm.MatchString(row.Reference) {
		return
	}
	var order struct {
		Number   string
		Customer string `json:"customer_name"`
	}
	data, err := s.client.Send(s.ctx, http.MethodGet, "/office/sales-orders/"+row.Reference, nil)
	if err != nil || json.Unmarshal(data, &order) != nil {
		fmt.Fprintf(c.Notes, "To see the customer, with the key of Head Office: platen orders get %s\n", row.Reference)
		return
	}
	fmt.Fprintf(c.Out, "\nThe reference is the sales order %s of %s.\n", order.Number, order.Customer)
}

// attention is the operation whose items are shown as in platen status.
const attention = "get_attention"

// named is an error of the server about a field that names the flag.
func (c *Call) named(err error) error {
	rejected, ok := errors.AsType[*client.Error](err)
	if !ok {
		return err
	}
	renamed := *rejected
	for i := range c.Operation.Fields {
		f := &c.Operation.Fields[i]
		if rest, about := strings.CutPrefix(rejected.Message, f.Name+" "); about {
			renamed.Message = "--" + f.Flag() + " " + rest
		}
	}
	return &renamed
}

// list reads one page, or all, and prints the rows.
func (c *Call) list(s *session, path string) error {
	query := url.Values{}
	if !c.All {
		query.Set("limit", strconv.Itoa(pageRows+1)) // the last one says that there are more
	}
	for name, value := range c.Values {
		text := fmt.Sprint(value)
		if resolved, err := s.resolved(name, c.Operation.System, text); err != nil {
			return err
		} else if id, ok := resolved.(string); ok {
			text = id
		}
		query.Set(name, text)
	}
	rows := []json.RawMessage{}
	more := false
	for row, err := range s.rows(path, query) {
		if err != nil {
			return c.named(err)
		}
		if more = !c.All && len(rows) == pageRows; more {
			break
		}
		rows = append(rows, row)
	}
	if c.JSON {
		return cli.WriteJSON(c.Out, rows) //nolint:wrapcheck // the error of standard output is enough
	}
	if c.CSV {
		return writeCSV(c.Out, rows, c.Columns)
	}
	if err := writeRows(c.Out, rows, c.Columns); err != nil {
		return err
	}
	if more {
		fmt.Fprintf(c.Notes, "These are the first %d; --all shows all.\n", len(rows))
	}
	return nil
}

// session sends requests for one command.
type session struct {
	client *client.Client
	ctx    context.Context //nolint:containedctx // it lasts as long as the command
}

func (s *session) rows(path string, query url.Values) iter.Seq2[json.RawMessage, error] {
	return s.client.Rows(s.ctx, path, query)
}

// pathOf puts ids, or numbers in any case, into the path of an operation. The first is of the resource itself.
func pathOf(op *Operation, ids []string) string {
	parts := strings.Split(op.Path, "/")
	for i, part := range parts {
		if strings.HasPrefix(part, "{") {
			parts[i], ids = url.PathEscape(named(ids[0])), ids[1:]
		}
	}
	return strings.Join(parts, "/")
}

// numberForm is the form of the numbers that records have for people.
var numberForm = regexp.MustCompile(`^[A-Za-z]+-[0-9]+$`)

// named is an id, or a number as the server writes it.
func named(given string) string {
	if numberForm.MatchString(given) {
		return strings.ToUpper(given)
	}
	return given
}

// idOf returns the id of a record of a list, which may be given by its number.
func (s *session) idOf(list *Operation, given string) (string, error) {
	if !numberForm.MatchString(given) || len(list.Places()) > 0 {
		return given, nil
	}
	data, err := s.client.Send(s.ctx, http.MethodGet, list.Path+"/"+named(given), nil)
	if client.IsCode(err, client.CodeNotFound) {
		return given, nil // may be an id all the same; the server says if it is not
	}
	if err != nil {
		return "", err //nolint:wrapcheck // the error of a request speaks for itself
	}
	var row struct{ ID string }
	if err := json.Unmarshal(data, &row); err != nil {
		return "", fmt.Errorf("read %s: %w", given, err)
	}
	return row.ID, nil
}

// resolved puts ids into the place of numbers in fields that hold ids.
func (s *session) resolved(field, system string, value any) (any, error) {
	if !strings.HasSuffix(field, "_id") && !strings.HasSuffix(field, "_ids") {
		return value, nil
	}
	list, ok := listOf(field, system)
	if !ok {
		return value, nil
	}
	switch v := value.(type) {
	case string:
		return s.idOf(&list, v)
	case []string:
		ids := make([]string, len(v))
		for i, given := range v {
			var err error
			if ids[i], err = s.idOf(&list, given); err != nil {
				return nil, err
			}
		}
		return ids, nil
	}
	return value, nil
}

// Names returns the numbers of the newest records of a resource, or their ids where they have
// none, each with its status behind a tab. It returns none where the server cannot be asked.
func Names(ctx context.Context, c *client.Client, resource string) []string {
	list, ok := listAt(resource)
	if !ok {
		return nil
	}
	s := &session{client: c, ctx: ctx}
	var names []string
	for item, err := range s.rows(list.Path, url.Values{"limit": {strconv.Itoa(pageRows)}}) {
		if err != nil || len(names) == pageRows {
			break
		}
		var row struct{ ID, Number, Status string }
		if json.Unmarshal(item, &row) == nil {
			names = append(names, strings.TrimRight(cmp.Or(row.Number, row.ID)+"\t"+row.Status, "\t"))
		}
	}
	return names
}

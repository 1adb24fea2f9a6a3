package operation

import (
	"context"
	"net/http"
	"reflect"

	"platen/internal/company"
	"platen/internal/company/factory"
	"platen/internal/company/record"
	"platen/internal/sandbox"
)

// Command is a write with its body. Its type is known where it is defined, and nowhere else.
type Command interface {
	// Body returns a pointer to the body, to be read into.
	Body() any
	// Press names the press to be started, "" for none.
	Press() string
	// Outbound refuses, or returns the work that is to be done outside of the sandbox before Run; nil for none.
	Outbound(tx *sandbox.Tx, at PathParams) (sandbox.Outbound, error)
	// Run refuses with an error, or changes the company.
	Run(tx *sandbox.Tx, at PathParams) (Result, error)
	// Try returns the data of a dry run, which is of the type Preview, or refuses as Run does (contract:
	// OPEN.DRY_RUN). It changes nothing. It is only called where there is a Preview.
	Try(tx *sandbox.Tx) (any, error)
}

// PathParams is the ids that a path names, "" where it names none.
type PathParams struct{ ID, DeliveryID string }

// Result names the data of a write's response: a row, or a value of the state
// that it made.
type Result = sandbox.Result

// runFunc runs a command.
type runFunc[In any] func(tx *sandbox.Tx, at PathParams, in *In) (Result, error)

// command is a Command of one kind of body.
type command[In any] struct {
	in  In
	run runFunc[In]
	try func(tx *sandbox.Tx, in *In) (any, error)
}

// Body implements Command.
func (c *command[In]) Body() any { return &c.in }

// Press implements Command.
func (c *command[In]) Press() string {
	if run, ok := any(&c.in).(*factory.StartPrintRun); ok {
		return run.PressID
	}
	return ""
}

// Outbound implements Command.
func (*command[In]) Outbound(*sandbox.Tx, PathParams) (sandbox.Outbound, error) {
	return nil, nil //nolint:nilnil // it sends nothing
}

// Run implements Command.
func (c *command[In]) Run(tx *sandbox.Tx, at PathParams) (Result, error) { return c.run(tx, at, &c.in) }

// Try implements Command.
func (c *command[In]) Try(tx *sandbox.Tx) (any, error) { return c.try(tx, &c.in) }

// calling is a Command that sends something before it runs.
type calling[In, Sent any] struct {
	command[In]

	sent Sent
	send sendFunc[Sent]
	done func(tx *sandbox.Tx, at PathParams, sent *Sent) (Result, error)
}

// sendFunc refuses, or returns what sends something.
type sendFunc[Sent any] func(tx *sandbox.Tx, at PathParams) (func(context.Context) Sent, error)

// Outbound implements Command.
func (c *calling[In, Sent]) Outbound(tx *sandbox.Tx, at PathParams) (sandbox.Outbound, error) {
	send, err := c.send(tx, at)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) { c.sent = send(ctx) }, nil
}

// Run implements Command.
func (c *calling[In, Sent]) Run(tx *sandbox.Tx, at PathParams) (Result, error) {
	return c.done(tx, at, &c.sent)
}

// written completes the row of a write whose body is of type In.
func written[In any](o Operation) Operation {
	o.Kind = Write
	if o.Method == "" {
		o.Method = http.MethodPost
	}
	o.In = reflect.TypeFor[In]()
	o.BodyOptional = o.BodyOptional || o.In.NumField() == 0
	if o.Key == "" {
		o.Key = KeyAccepted
	}
	if o.Status == 0 {
		o.Status = http.StatusOK
	}
	return o
}

// write binds a function that decides something between the request and the company to a row of the table.
func write[In any](o Operation, run runFunc[In]) Operation {
	o = written[In](o)
	o.New = func() Command { return &command[In]{run: run} }
	return o
}

// create binds a method of the company that makes a record of the type Row.
func create[Row, In any](o Operation, run makeFunc[In]) Operation {
	made := making[Row](&o, run)
	return write(o, made)
}

// tried is create with a dry run.
func tried[Row, In, Out any](o Operation, run makeFunc[In], try func(*company.Company, *In) (Out, error)) Operation {
	made := making[Row](&o, run)
	o = written[In](o)
	o.Preview = reflect.TypeFor[Out]()
	o.New = func() Command {
		return &command[In]{
			run: made, try: func(tx *sandbox.Tx, in *In) (any, error) { return try(tx.Company, in) },
		}
	}
	return o
}

// makeFunc makes a record and returns its id.
type makeFunc[In any] func(c *company.Company, in *In) (id string, err error)

// making responds with the record that was made. A body says whether that was the client's own idea.
func making[Row, In any](o *Operation, run makeFunc[In]) runFunc[In] {
	o.Status = http.StatusCreated
	resource := respond[Row](o)
	return func(tx *sandbox.Tx, _ PathParams, in *In) (Result, error) {
		id, err := run(tx.Company, in)
		own, ok := any(in).(interface{ Unasked() bool })
		return Result{Resource: resource, ID: id, Decision: ok && own.Unasked()}, err
	}
}

// change binds a method of the company that changes the record of the type Row that the path names.
func change[Row, In any](o Operation, run func(c *company.Company, id string, in *In) error) Operation {
	resource := respond[Row](&o)
	return write(o, func(tx *sandbox.Tx, at PathParams, in *In) (Result, error) {
		return Result{Resource: resource, ID: at.ID}, run(tx.Company, at.ID, in)
	})
}

// move is change for a method that takes the id alone.
func move[Row any](o Operation, run func(c *company.Company, id string) error) Operation {
	resource := respond[Row](&o)
	return write(o, func(tx *sandbox.Tx, at PathParams, _ *noBody) (Result, error) {
		return Result{Resource: resource, ID: at.ID}, run(tx.Company, at.ID)
	})
}

// respond makes a row the data of the response, and returns its resource.
func respond[Row any](o *Operation) (resource string) {
	o.Out = reflect.TypeFor[Row]()
	row, _ := any(new(Row)).(record.Row)
	return row.Resource()
}

// called is write for a command that sends something first: send refuses, or returns what does.
func called[Sent any](o Operation, send sendFunc[Sent],
	done func(tx *sandbox.Tx, at PathParams, sent *Sent) (Result, error)) Operation {
	o = written[noBody](o)
	o.Calls = true
	o.New = func() Command { return &calling[noBody, Sent]{send: send, done: done} }
	return o
}

// Commands without a body have this one; an empty object is fine too. The name
// of the type is that of a component of the OpenAPI document.
type noBody struct{}

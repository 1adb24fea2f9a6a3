package faults

import (
	"fmt"
	"net/http"

	"platen/internal/api/message"
	"platen/internal/company/fault"
	"platen/internal/desk"
	"platen/internal/desk/injection"
	"platen/internal/words/wire"
)

// tick is the operation that all late requests arrive before.
const tick = "advance_time"

// delays reports whether the request is put on its way, to arrive late.
func (d *disturbed) delays() bool {
	r := d.request
	op, header := r.Operation, r.HTTP.Header
	if !op.Delayable() {
		return false
	}
	body, err := r.Body.Bytes()
	if err != nil || len(header[wire.HeaderIdempotencyKey]) > 1 || len(header[wire.HeaderIfMatch]) > 1 {
		return false
	}
	sent := d.faults.Send(d.Draw, func() injection.Late {
		return injection.Late{
			ID: r.ID, Operation: op.ID, Method: r.HTTP.Method, URL: r.HTTP.URL.RequestURI(), Body: body,
			ContentType: header.Get("Content-Type"), IfMatch: header.Get(wire.HeaderIfMatch),
			IdempotencyKey: header.Get(wire.HeaderIdempotencyKey),
		}
	})
	if sent {
		d.note(fault.RequestLate, string(d.Form(fault.RequestLate)))
	}
	return sent
}

// arrive carries out the late requests that arrive before a request.
func (i *Injector) arrive(before *message.Request, faults *desk.Faults) {
	if !faults.Underway() {
		return
	}
	v, err := before.Sandbox.View(before.Context())
	if err != nil {
		return // the operation says so
	}
	key := injection.System(before.Caller.System)
	if before.Traceless() {
		key = ""
	}
	for _, late := range faults.Arrive(key, v.MinuteAt(before.At), before.Operation.ID == tick) {
		status := i.Carry(before, &late)
		faults.Note(desk.FaultHit{
			At: i.Now(), Kind: fault.RequestLate, RequestID: late.ID, Operation: late.Operation,
			Detail: fmt.Sprintf("arrived: %d %s", status, http.StatusText(status)),
		})
	}
}

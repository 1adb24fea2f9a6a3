package player

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strconv"

	"platen/internal/company/record"
	"platen/internal/operation"
	"platen/internal/words/problem"
)

// step is one command of a game, with what it names written as numbers: the third order,
// the second truck. So it can be sent in another world, where they have other ids.
type step struct {
	operationID, id, body string
}

// recorder is a door that writes down what passes.
type recorder struct {
	*inside
	steps []step
}

func (r *recorder) call(operationID, id string, body any) error {
	text := []byte("null")
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return fmt.Errorf("encode the body of %s: %w", operationID, err)
		}
	}
	r.steps = append(r.steps, step{operationID, r.numbered(id), r.numbered(string(text))})
	return r.inside.call(operationID, id, body)
}

// businessID matches the ids of the company's records.
var businessID = regexp.MustCompile(`\b([a-z]{2,3})_[0-9a-z]{13}\b`)

// number is the written form of an id: its prefix and its place among the records of its
// kind, counted from 0.
var number = regexp.MustCompile(`\b([a-z]{2,3})#([0-9]+)\b`)

// numbered replaces the ids in a text by numbers.
func (d *inside) numbered(text string) string {
	return businessID.ReplaceAllStringFunc(text, func(id string) string {
		prefix := businessID.FindStringSubmatch(id)[1]
		for i, s := range d.rows[d.table.resources[prefix]] {
			if row, ok := s.row.(record.Row); ok && row.RowID() == id {
				return prefix + "#" + strconv.Itoa(i)
			}
		}
		return id
	})
}

// named replaces numbers in a text by the ids that they have here, and reports whether
// there is a record for each.
func (d *inside) named(text string) (named string, all bool) {
	d.settle()
	all = true
	named = number.ReplaceAllStringFunc(text, func(at string) string {
		parts := number.FindStringSubmatch(at)
		rows := d.rows[d.table.resources[parts[1]]]
		i, err := strconv.Atoi(parts[2])
		if err != nil || i >= len(rows) {
			all = false
			return at
		}
		row, ok := rows[i].row.(record.Row)
		all = all && ok
		return row.RowID()
	})
	return named, all
}

// parrot sends the commands of a recording.
type parrot struct {
	door  *inside
	steps []step
	// refused counts commands that were refused or named what is not there.
	refused int
}

func (p *parrot) rejections() int { return p.refused }

// day sends what was sent on the day, up to the minute at which it ended.
func (p *parrot) day() (alive bool, err error) {
	minutes := int64(0)
	for minutes < dayMinutes && len(p.steps) > 0 {
		next := p.steps[0]
		p.steps = p.steps[1:]
		if next.operationID == tickOperation {
			var tick operation.TickInput
			if err := json.Unmarshal([]byte(next.body), &tick); err != nil {
				return false, fmt.Errorf("read a recorded tick: %w", err)
			}
			minutes += *tick.Minutes
		}
		if err := p.send(&next); err != nil {
			return false, err
		}
	}
	if rest := dayMinutes - minutes; rest > 0 { // the other company did not get so far
		if err := p.door.call(tickOperation, "", &operation.TickInput{Minutes: &rest}); err != nil && !refused(err) {
			return false, err
		}
	}
	return !p.door.company.Bankrupt(), nil
}

func (p *parrot) send(s *step) error {
	id, there := p.door.named(s.id)
	text, all := p.door.named(s.body)
	if !there || !all {
		p.refused++
		return nil
	}
	var body any
	if text != "null" {
		body = reflect.New(p.door.table.operation(s.operationID).In).Interface()
		if err := json.Unmarshal([]byte(text), body); err != nil {
			return fmt.Errorf("read the recorded body of %s: %w", s.operationID, err)
		}
	}
	err := p.door.call(s.operationID, id, body)
	if refused(err) {
		p.refused++
		return nil
	}
	return err
}

// refused reports whether an error is the answer to a command, and no failure.
func refused(err error) bool {
	_, ok := errors.AsType[*problem.Problem](err)
	return ok
}

package task

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Draw draws values for a world. It has one of three forms:
//
//	{"from": ["a", "b", "c"]}                       one of these texts
//	{"from": ["a", "b", "c"], "pick": 2}            two different ones, behind commas, in the order of the draw
//	{"from": ["a", "b", "c"], "deal": {"x": 1, "y": 2}}  deals them out: vary.x gets one, vary.y two others
//	{"min": 10, "max": 30, "step": 5}               10, 15, 20, 25 or 30; the step is 1 where there is none
//
// What is drawn follows from the task, the world and the name of the draw by a hash, and from nothing else: another
// draw beside it changes nothing.
type Draw struct {
	From []string       `json:"from,omitempty"`
	Pick int            `json:"pick,omitempty"`
	Deal map[string]int `json:"deal,omitempty"`
	Min  *int64         `json:"min,omitempty"`
	Max  *int64         `json:"max,omitempty"`
	Step int64          `json:"step,omitempty"`
}

// check reports what is wrong with a draw.
func (d *Draw) check() error {
	dealt := 0
	for _, n := range d.Deal {
		if n < 1 {
			return errors.New("it deals nothing out")
		}
		dealt += n
	}
	ranged := d.Min != nil || d.Max != nil
	switch {
	case ranged == (d.From != nil):
		return errors.New("it draws from texts or from a range of numbers")
	case ranged && (d.Min == nil || d.Max == nil || *d.Min > *d.Max || d.Step < 0 || d.Pick != 0 || d.Deal != nil):
		return errors.New("a range has min and max, the less first, and a step at most")
	case !ranged && (d.Step != 0 || d.Pick < 0 || d.Pick > 0 && d.Deal != nil || max(d.Pick, dealt, 1) > len(d.From)):
		return errors.New("it takes more than there is, or in two ways")
	}
	return nil
}

// names are those of the values of a draw that is called name.
func (d *Draw) names(name string) []string {
	if d.Deal == nil {
		return []string{name}
	}
	return slices.Sorted(maps.Keys(d.Deal))
}

// values draws, with a key for the task and its world.
func (d *Draw) values(key, name string) map[string]string {
	below := chance(key + "\n" + name)
	if d.From == nil {
		step := cmp.Or(d.Step, 1)
		at := below(int((*d.Max-*d.Min)/step) + 1)
		return map[string]string{name: strconv.FormatInt(*d.Min+int64(at)*step, 10)}
	}
	shuffled := slices.Clone(d.From)
	for i := len(shuffled) - 1; i > 0; i-- {
		j := below(i + 1)
		shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
	}
	if d.Deal == nil {
		return map[string]string{name: strings.Join(shuffled[:max(d.Pick, 1)], ",")}
	}
	all := map[string]string{}
	for _, share := range d.names(name) { // in the order of the alphabet
		all[share] = strings.Join(shuffled[:d.Deal[share]], ",")
		shuffled = shuffled[d.Deal[share]:]
	}
	return all
}

// chance returns a function that draws a number below n: the n-th remainder of the SHA-256 of the text and of how many
// were drawn before.
func chance(text string) func(n int) int {
	drawn := 0
	return func(n int) int {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%d", text, drawn))
		drawn++
		return int(binary.BigEndian.Uint64(sum[:]) % uint64(n))
	}
}

// drawsWell reports what is wrong with the draws of a task: one, or two values of one name.
func (t *Task) drawsWell() error {
	seen := map[string]bool{}
	for name, d := range t.Vary {
		if err := d.check(); err != nil {
			return fmt.Errorf("the draw %s: %w", name, err)
		}
		for _, value := range d.names(name) {
			if seen[value] {
				return fmt.Errorf("two draws have a value %s", value)
			}
			seen[value] = true
		}
	}
	return nil
}

// drawn are the values of a world with a key, by the names that expressions have for them.
func (t *Task) drawn(key string) map[string]string {
	named := map[string]string{}
	for name, d := range t.Vary {
		for value, text := range d.values(key, name) {
			named["vary."+value] = text
		}
	}
	return named
}

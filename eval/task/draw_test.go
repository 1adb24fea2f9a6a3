package task

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"platen/client"
)

// TestAWorldIsDrawnTheSameEachTime, and by nothing but the task, the split, the seed, the secret and the name of the
// draw: these are the worlds that were published.
func TestAWorldIsDrawnTheSameEachTime(t *testing.T) {
	t.Parallel()
	k := &Task{Name: "a", Vary: map[string]Draw{
		"one": {From: []string{"a", "b", "c", "d"}}, "two": {From: []string{"a", "b", "c", "d"}, Pick: 2},
		"number": {Min: new(int64(10)), Max: new(int64(99))},
		"step":   {Min: new(int64(5)), Max: new(int64(25)), Step: 10},
		"deal":   {From: []string{"a", "b", "c", "d"}, Deal: map[string]int{"y": 2, "x": 1}},
	}}
	const want = "map[vary.number:67 vary.one:c vary.step:25 vary.two:c,b vary.x:d vary.y:a,c]"
	if got := fmt.Sprint(k.drawn(World{Seed: 1}.key(k))); got != want {
		t.Errorf("the world 1 is %s, want %s", got, want)
	}
	worlds := []World{
		{Seed: 1}, {Seed: 2}, {Split: client.SplitDev, Seed: 1}, {Split: client.SplitTest, Seed: 1, Secret: "x"},
		{Split: client.SplitTest, Seed: 1, Secret: "y"},
	}
	keys := map[string]bool{World{Seed: 1}.key(&Task{Name: "b"}): true}
	for _, w := range worlds {
		keys[w.key(k)] = true
		if key, given, ok := readLabel(w.label(k)); !ok || key != w.key(k) || given != w.given(k) {
			t.Errorf("the label of %+v is read as %s %d", w, key, given)
		}
	}
	if len(keys) != len(worlds)+1 {
		t.Errorf("%d worlds have %d keys", len(worlds)+1, len(keys))
	}
	fewer := &Task{Name: "a", Vary: map[string]Draw{"number": k.Vary["number"]}}
	if got := fewer.drawn(World{Seed: 1}.key(fewer))["vary.number"]; got != "67" {
		t.Errorf("without the draws beside it a number is %s", got)
	}
}

// TestADrawTakesEachValueAsOften, more or less, and nothing beside its values.
func TestADrawTakesEachValueAsOften(t *testing.T) {
	t.Parallel()
	const worlds, values = 6000, 3
	k := &Task{Name: "a", Vary: map[string]Draw{
		"number": {Min: new(int64(5)), Max: new(int64(9)), Step: 2},
		"deal":   {From: []string{"5", "7", "9"}, Deal: map[string]int{"x": 1, "y": 1, "z": 1}},
	}}
	counts := map[string]int{}
	for seed := range uint64(worlds) {
		named := k.drawn(World{Seed: seed}.key(k))
		for name, value := range named {
			counts[name+" "+value]++
		}
		dealt := []string{named["vary.x"], named["vary.y"], named["vary.z"]}
		slices.Sort(dealt)
		if strings.Join(dealt, "") != "579" {
			t.Fatalf("seed %d deals %v", seed, dealt)
		}
	}
	if len(counts) != 4*values {
		t.Errorf("drawn are %v", counts)
	}
	for value, n := range counts {
		if n < worlds/values*9/10 || n > worlds/values*11/10 {
			t.Errorf("%s is drawn in %d of %d worlds", value, n, worlds)
		}
	}
}

func TestADrawThatIsNoneIsRejected(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{}`, `{"from": []}`, `{"from": ["a"], "pick": 2}`, `{"from": ["a", "b"], "pick": 1, "deal": {"x": 1}}`,
		`{"from": ["a"], "deal": {"x": 1, "y": 1}}`, `{"from": ["a"], "deal": {"x": 0}}`, `{"min": 1}`, `{"max": 1}`,
		`{"min": 2, "max": 1}`, `{"min": 1, "max": 2, "from": ["a"]}`, `{"min": 1, "max": 2, "step": -1}`,
		`{"from": ["a"], "step": 1}`, `{"min": 1, "max": 2, "pick": 1}`,
	} {
		var d Draw
		if err := json.Unmarshal([]byte(text), &d); err != nil {
			t.Fatal(err)
		}
		if d.check() == nil {
			t.Errorf("the draw %s is taken", text)
		}
	}
	twice := &Task{Vary: map[string]Draw{
		"x": {From: []string{"a"}}, "deal": {From: []string{"a"}, Deal: map[string]int{"x": 1}},
	}}
	if twice.drawsWell() == nil {
		t.Error("two values of one name are taken")
	}
}

// TestEachTaskDrawsWhatItNames, and nothing else.
func TestEachTaskDrawsWhatItNames(t *testing.T) {
	t.Parallel()
	for _, k := range allTasks(t) {
		drawn := k.drawn(World{Seed: 1}.key(k))
		text, err := json.Marshal([]any{k.Prelude, k.Let, k.Checks, k.Program})
		if err != nil {
			t.Fatal(err)
		}
		named := map[string]bool{}
		for _, name := range regexp.MustCompile(`\bvary\.[a-z_]+`).FindAllString(string(text), -1) {
			named[name] = true
			if _, ok := drawn[name]; !ok {
				t.Errorf("%s names %s and does not draw it", k.Name, name)
			}
		}
		for name := range maps.Keys(drawn) {
			if !named[name] && name != "vary.plain" { // the rest of what is dealt out
				t.Errorf("%s draws %s and names it nowhere", k.Name, name)
			}
		}
	}
}

package jsonfield_test

import (
	"reflect"
	"slices"
	"testing"

	"platen/internal/words/jsonfield"
)

type head struct {
	ID string `json:"id" doc:"Never changes."`
}

type sky string

func (sky) Enum() []string { return []string{"clear", "cloudy"} }

func (sky) Meanings() string { return "cloudy hides the sun." }

type day struct {
	head
	Sky      *sky     `json:"sky,omitzero"`
	Skies    []sky    `json:"skies" minItems:"1"`
	Wind     string   `json:"wind" enum:"north,south" required:"true" example:"north"`
	Note     string   `json:"note" minLength:"1" maxLength:"1"`
	Text     string   `json:"text" minLength:"0" maxLength:"40"`
	Visitors int      `json:"visitors" minimum:"1" maximum:"20000"`
	Tags     []string `json:"tags,omitempty" maxItems:"3" uniqueItems:"true"`
	Hidden   string   `json:"-"`
	Plain    bool
	secret   string
}

// TestFieldsAreReadAsTheirTagsSay: names in their order, embedded ones in their
// place, and the rules in words.
func TestFieldsAreReadAsTheirTagsSay(t *testing.T) {
	t.Parallel()
	type row struct {
		name            string
		omits, required bool
		enum, limits    []string
	}
	var got []row
	for _, f := range jsonfield.Of(reflect.TypeFor[day]()) {
		got = append(got, row{f.JSON, f.Omits, f.Required(), f.Enum(), f.Limits()})
	}
	skies := []string{"clear", "cloudy"}
	want := []row{
		{name: "id"},
		{name: "sky", omits: true, enum: skies},
		{name: "skies", enum: skies, limits: []string{"at least 1 item"}},
		{name: "wind", required: true, enum: []string{"north", "south"}},
		{name: "note", limits: []string{"1 to 1 character"}},
		{name: "text", limits: []string{"0 to 40 characters"}},
		{name: "visitors", limits: []string{"1 to 20,000"}},
		{name: "tags", omits: true, limits: []string{"at most 3 items", "no two alike"}},
		{name: "Plain"},
	}
	if !slices.EqualFunc(got, want, func(a, b row) bool {
		return a.name == b.name && a.omits == b.omits && a.required == b.required &&
			slices.Equal(a.enum, b.enum) && slices.Equal(a.limits, b.limits)
	}) {
		t.Errorf("the fields are\n%+v\nwant\n%+v", got, want)
	}
	_ = day{}.secret // not exported, so no field of the object
}

// TestPeopleAreToldMoreThanAgents: the values of an explained type, and the sentences that an agent
// can do without.
func TestPeopleAreToldMoreThanAgents(t *testing.T) {
	t.Parallel()
	type weather struct {
		Sky   sky   `json:"sky" doc:"The sky at noon."`
		Skies []sky `json:"skies"`
		Wind  int   `json:"wind" doc:"The wind, in knots." agent:"Knots."`
		Rain  int   `json:"rain" doc:"The rain, in millimetres." agent:"-"`
	}
	want := [][2]string{
		{"The sky at noon. cloudy hides the sun.", "The sky at noon."}, {"cloudy hides the sun.", ""},
		{"The wind, in knots.", "Knots."}, {"The rain, in millimetres.", ""},
	}
	for i, f := range jsonfield.Of(reflect.TypeFor[weather]()) {
		if got := [2]string{f.Doc(), f.AgentDoc()}; got != want[i] {
			t.Errorf("%s is described as %q, want %q", f.JSON, got, want[i])
		}
	}
}

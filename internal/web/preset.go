package web

import (
	"reflect"
	"slices"

	"platen/internal/company/preset"
)

// presetsView is the data of the presets' page.
type presetsView struct {
	Presets []preset.Preset
	// Members describe the file format, Sample is the file of the default
	// preset.
	Members []field
	Sample  string
}

// presetOrder is the order of teaching; an operator's presets come after.
//
//nolint:gochecknoglobals // read only
var presetOrder = []string{"starter", "manual", "crunch", "supply_shock", "agent_eval", "empty"}

func (s *site) addPresets() error {
	view := presetsView{
		Presets: slices.Clone(s.presets), Members: fieldsOf(reflect.TypeFor[preset.Preset](), output),
		Sample: preset.DefaultFile(),
	}
	slices.SortFunc(view.Presets, byTeaching)
	return s.add(page{
		Template: "presets", Title: "Presets", Path: "/docs/presets", Section: "/docs/",
		Contents: sections(), Content: view,
		Description: "The companies that a sandbox can begin as, and how to write another.",
	})
}

package docsite

import (
	"reflect"

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

func (l *library) addPresets() error {
	return l.add("/docs/presets", guides, func() (page, error) {
		return page{
			Template: "presets", Title: "Presets", Contents: l.sections(), Content: presetsView{
				Presets: l.presets, Members: fieldsOf(reflect.TypeFor[preset.Preset](), output),
				Sample: preset.DefaultFile(),
			},
			Description: "The companies that a sandbox can begin as, and how to write another.",
		}, nil
	})
}

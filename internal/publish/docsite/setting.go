package docsite

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"platen/internal/config"
	"platen/internal/words/jsonfield"
)

// setting is a setting of the server, as the page of all settings shows it.
type setting struct {
	// Name is that of the flag and of the file's field, Variable that of the
	// environment.
	Name, Variable string
	// Doc is one sentence, Default the value when nothing is set.
	Doc, Default string
	// Begins is the heading of this setting and those behind it, where it is the first of them.
	Begins string
	// Local is its value in the profile local in words, empty where that has none of its own.
	Local string
	// Key marks a key, which has no flag.
	Key bool
	// value is its value on this server, for guides that say a number. It is
	// empty for private values: addresses, files, keys.
	value string
	// off is set for a number that is 0.
	off bool
}

// settingsOf lists the settings of a server.
func settingsOf(c *config.Config) []setting {
	if c == nil {
		c = config.Default()
	}
	defaults, fields := config.Default().Fields(), c.Fields()
	local := map[string]string{}
	for _, row := range config.ProfileRows() {
		local[row.Setting] = row.Means
	}
	all := make([]setting, len(fields))
	for i, f := range fields {
		all[i] = setting{Name: f.Name, Variable: f.Variable(), Doc: f.Doc, Default: written(defaults[i].Target),
			Local: local[f.Name], Key: f.Key}
		if i == 0 || f.Group != fields[i-1].Group {
			all[i].Begins = f.Group
		}
		switch f.Target.(type) {
		case *int, *time.Duration:
			all[i].value = written(f.Target)
			all[i].off = reflect.ValueOf(f.Target).Elem().IsZero()
		}
	}
	return all
}

// written is the value that a setting's target points at, as people say it.
func written(target any) string {
	switch value := target.(type) {
	case *string:
		return *value
	case *[]string:
		return strings.Join(*value, ", ")
	case *bool:
		return fmt.Sprint(*value)
	case *int:
		return jsonfield.Thousands(fmt.Sprint(*value))
	case *time.Duration:
		return spoken(*value)
	}
	return ""
}

// spoken is a duration in words: 30 minutes, 1 second.
func spoken(d time.Duration) string {
	for _, unit := range []struct {
		name string
		of   time.Duration
	}{{"hour", time.Hour}, {"minute", time.Minute}, {"second", time.Second}} {
		switch {
		case d < unit.of || d%unit.of != 0:
		case d == unit.of:
			return "1 " + unit.name
		default:
			return fmt.Sprintf("%d %ss", d/unit.of, unit.name)
		}
	}
	return d.String()
}

func (l *library) addSettings() error {
	const path = "/docs/settings"
	return l.add(path, guides, func() (page, error) {
		p := page{
			Template: "settings", Title: "Settings", Contents: l.sections(), Content: l.settings,
			Description: "Every setting of a server: its flag, its environment variable and its default.",
		}
		p.Previous, p.Next = l.around(path)
		return p, nil
	})
}

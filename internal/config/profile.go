package config

import "slices"

// Profiles: values for settings that no flag, variable or file sets.
const (
	// Contract has the numbers of the contract, which a server for everybody needs.
	Contract = "contract"
	// Local is for your own machine, where nobody has to be kept from taking too much.
	Local = "local"
)

// Profiles returns the names of all profiles, the default first.
func Profiles() []string { return []string{Contract, Local} }

// ProfileRow is a setting whose value depends on the profile.
type ProfileRow struct {
	// Setting is the name of the setting.
	Setting string
	// Local is its value in the profile Local, as a flag would have it. In the profile Contract
	// it is the setting's default.
	Local string
	// Means says in words what Local is.
	Means string
}

// ProfileRows lists the settings whose values depend on the profile: limits that protect
// clients from each other, and how long things last.
func ProfileRows() []ProfileRow {
	return []ProfileRow{
		{"key-rate", "0", "no limit"},
		{"ip-rate", "0", "no limit"},
		{"anonymous-rate", "0", "no limit"},
		{"page-rate", "0", "no limit"},
		{"ip-connections", "0", "no limit"},
		{"ip-active", "0", "no limit"},
		{"ip-creations", "0", "no limit"},
		{"block-factor", "0", "no limit"},
		{"tick-pause", "0s", "none"},
		{"private-webhooks", "true", "true"},
		{"sandbox-duration", "24h", "24 hours"},
		{"extension", "24h", "24 hours"},
		{"extension-window", "24h", "24 hours"},
	}
}

// InProfile reports whether a setting has a value of its own in the profile Local.
func InProfile(setting string) bool {
	return slices.ContainsFunc(ProfileRows(), func(r ProfileRow) bool { return r.Setting == setting })
}

// Use gives every setting its value in a profile, and takes back what was set before. It
// reports whether there is such a profile.
func (c *Config) Use(profile string) bool {
	*c = *Default()
	c.Profile = profile
	if profile != Local {
		return profile == Contract
	}
	fields := c.Fields()
	for _, row := range ProfileRows() {
		i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == row.Setting })
		if err := fields[i].Set(row.Local); err != nil {
			panic(err) // a mistake in the table, which TestAProfileIsATableOfSettings finds
		}
	}
	return true
}

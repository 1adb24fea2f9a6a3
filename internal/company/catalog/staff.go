package catalog

import (
	"slices"
	"time"

	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/money"
)

// The hours of the trade.
const (
	// HoursPerDay is the hours that a present employee works in a day.
	HoursPerDay = 8
	// SkillAverage is the skill that neither saves nor spoils a sheet.
	SkillAverage = 50
)

// CrewMember is an employee from before the company opened. Both systems know
// employees by the badge number.
type CrewMember struct {
	BadgeNo     string
	Name        string
	Role        event.Role
	HourlyMinor money.Minor
	// Skill is 0 to 100.
	Skill   int64
	HiredOn moment.Date
}

// Crew returns the opening crew in the order of their badges.
func Crew() []CrewMember { return crew }

var crew = []CrewMember{ //nolint:gochecknoglobals // the table itself
	{"1001", "Marta Lindqvarn", event.Operator, 2700, SkillAverage, moment.NewDate(2014, time.March, 3)},
	{"1002", "Tobin Achterwald", event.Operator, 2600, 65, moment.NewDate(2017, time.September, 4)},
	{"1003", "Ines Callowane", event.Operator, 2400, 35, moment.NewDate(2024, time.May, 6)},
	{"1004", "Bram Odulsen", event.Finisher, 2200, 55, moment.NewDate(2019, time.January, 7)},
	{"1005", "Petra Silvanik", event.Warehouse, 2100, 45, moment.NewDate(2021, time.October, 4)},
	{"1006", "Hennik Mossfeld", event.Bookkeeper, 2500, 60, moment.NewDate(2016, time.June, 6)},
	{"1007", "Noor Vantagen", event.Sales, 2600, 50, moment.NewDate(2022, time.April, 4)},
}

// HourlyFloor is the least hourly wage of a new employee: that of the opening
// crew's lowest paid in the role. ok is false for an unknown role.
func HourlyFloor(role event.Role) (floor money.Minor, ok bool) {
	for i := range crew {
		if crew[i].Role == role && (!ok || crew[i].HourlyMinor < floor) {
			floor, ok = crew[i].HourlyMinor, true
		}
	}
	return floor, ok
}

// Name names an employee who gets a badge after the opening crew. The lists
// have no common divisor, so six hundred people pass before a name comes again.
func Name(badge int64) string {
	return firstNames[int(badge)%len(firstNames)] + " " + lastNames[int(badge)%len(lastNames)]
}

var firstNames = []string{ //nolint:gochecknoglobals // the table itself
	"Adela", "Bastian", "Celeste", "Dorian", "Elske", "Florin", "Greta", "Hugo", "Isaura", "Joris", "Kalina", "Leopold",
	"Mirjam", "Nestor", "Odile", "Pavel", "Quirina", "Ruben", "Sanna", "Tiberio", "Ulrika", "Viggo", "Wanda", "Yannick",
}

var lastNames = []string{ //nolint:gochecknoglobals // the table itself
	"Abendroth", "Brackwater", "Cinderholm", "Dunmarrow", "Elderkamp", "Fennwick", "Grauvogel", "Hollowell",
	"Inkersley", "Jarnefeld", "Kettlewood", "Larkspire", "Moorhaven", "Nettleford", "Ostrander", "Pressley",
	"Quillinan", "Rasmunda", "Stockmarr", "Tannenhof", "Umberleigh", "Verlaak", "Wexcombe", "Yarrowby", "Zonneveld",
}

// Roles returns the roles in the order of the crew.
func Roles() []event.Role {
	var roles []event.Role
	for i := range crew {
		if !slices.Contains(roles, crew[i].Role) {
			roles = append(roles, crew[i].Role)
		}
	}
	return roles
}

package sandbox

import "platen/internal/company/sim"

// Words of public names: two and a trade, chosen by the sandbox's random id.
var (
	firstWords = []string{ //nolint:gochecknoglobals // a table of words
		"Amber", "Bold", "Bright", "Calm", "Cedar", "Clear", "Copper", "Coral", "Deckle", "Elm", "Fair", "Fern",
		"Grand", "Hazel", "Indigo", "Ivory", "Juniper", "Keen", "Laurel", "Linen", "Maple", "Merry", "Noble",
		"Olive", "Pearl", "Plain", "Quiet", "Rowan", "Silver", "Sturdy", "Tall", "Vivid",
	}
	secondWords = []string{ //nolint:gochecknoglobals // a table of words
		"Anchor", "Beacon", "Bridge", "Brook", "Compass", "Corner", "Crane", "Drum", "Ferry", "Finch", "Gable",
		"Garden", "Harbour", "Heron", "Hill", "Lantern", "Lark", "Ledger", "Margin", "Mill", "Orchard", "Otter",
		"Pier", "Quill", "Raven", "River", "Signal", "Spire", "Swift", "Tower", "Vale", "Wren",
	}
	//nolint:gochecknoglobals // a table of words
	trades = []string{
		"Press", "Printers", "Print Works", "Letterpress", "Graphics", "Print House", "Lithographers", "Print Studio",
	}
)

func publicName(id string) string {
	h := sim.Mix(sim.Hash(id))
	pick := func(words []string) string {
		w := words[h%uint64(len(words))]
		h = sim.Mix(h)
		return w
	}
	return pick(firstWords) + " " + pick(secondWords) + " " + pick(trades)
}

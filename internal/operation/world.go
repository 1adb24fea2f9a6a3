package operation

import (
	"slices"

	"platen/internal/company/lore"
)

func worldOperations() []Operation {
	return slices.Concat(
		reads[lore.Event](noun{
			system: Shared, path: "/sandbox/lore-events", resource: "lore_event", singular: "lore_event", plural: "lore_events", summary: "lore events",
			listDescription: "What happens in the world: stories that change nothing, and disruptions, which do while they run. What they are depends on the seed alone, never on what you do.",
		}),
		reads[lore.MajorOrder](noun{
			system: Shared, path: "/sandbox/major-orders", resource: "major_order", singular: "major_order", plural: "major_orders", summary: "major orders",
			listDescription: "Goals for all printers of the world. What your Factory ships to customers counts at once, the others are counted every morning. " +
				"If the target is reached and two per cent of it were yours, a bonus arrives the next day.",
		}),
	)
}

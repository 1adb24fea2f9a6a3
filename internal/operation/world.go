package operation

import (
	"slices"

	"platen/internal/company/lore"
)

func worldOperations() []Operation {
	return slices.Concat(
		reads[lore.Event](noun{
			system: Shared, grading: GradingToo, path: "/sandbox/lore-events", resource: "lore_event",
			singular: "lore_event", plural: "lore_events", summary: "lore events",
			listDescription: "The events of the world: stories, which change nothing, and disruptions, which have an " +
				"effect while they run. They depend on the seed alone, never on your requests.",
			one: "a lore event",
		}),
		reads[lore.MajorOrder](noun{
			system: Shared, grading: GradingToo, path: "/sandbox/major-orders", resource: "major_order",
			singular: "major_order", plural: "major_orders", summary: "major orders",
			listDescription: "Goals for all printers of the world. Shipments of your Factory to customers count at " +
				"once, those of the others are counted every morning. If the target is reached and two per cent of " +
				"it were yours, a bonus arrives the next day.",
			one: "a major order",
		}),
	)
}

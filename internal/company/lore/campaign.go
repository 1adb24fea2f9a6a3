package lore

// campaign is the story, the payer and the target of a major order. Quantities
// are in units of the product: a unit of posters is ten of them.
type campaign struct {
	title, payer, sku string
	target            int64
	story             string
}

// campaigns follow the seasons, since every company begins on the same day of
// September.
var campaigns = []campaign{ //nolint:gochecknoglobals // the table itself
	{
		"River Festival: 40,000 posters", "River Festival Committee", "prd_poster", 4_000,
		"Eleven towns share one river and, for one week, one festival. Every pier, bus stop and bakery is to have " +
			"its poster, and no single press can print them all.",
	},
	{
		"Night of the Libraries: 150,000 brochures", "Reading Room Foundation", "prd_brochure", 6_000,
		"Two hundred libraries stay open until midnight, with a programme as thick as a slim novel. " +
			"The foundation asks every printer for a stack.",
	},
	{
		"A Page a Month: 30,000 wall calendars", "Mountain Rescue League", "prd_calendar", 3_000,
		"The rescuers pay for their ropes with calendars. Last year's sold out in an afternoon, so this year they " +
			"have asked for three times as many.",
	},
	{
		"Fresh Pages: 25,000 notebooks", "School Supply Drive", "prd_notebook", 2_500,
		"In the new term each child of the first year gets a notebook with blank pages and a name on the cover. " +
			"The drive buys from whoever can print.",
	},
	{
		"Every Letterbox: 2,000,000 flyers", "Seed Savers' Exchange", "prd_flyer", 20_000,
		"A packet of poppy seeds in every letterbox of the country, and a flyer that says when to sow it. " +
			"It has to be out before the last frost.",
	},
	{
		"Open Workshops: 750,000 cards", "Guild of Small Trades", "prd_card", 3_000,
		"For one weekend, three thousand workshops let people in. Each of them wants a box of cards that says who " +
			"they are and when to come back.",
	},
}

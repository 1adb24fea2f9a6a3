package lore

// tale is how something is told. Those of a disruption have no kind of their
// own: it is that of the disruption.
type tale struct {
	title, text string
	kind        Kind
}

//nolint:gochecknoglobals // the texts themselves
var (
	shortageTales = []tale{
		{title: "The pulp ship is late", text: "A freighter full of pulp waits outside the harbour with a broken " +
			"crane on board. The mills ration what they have, and name their price."},
		{title: "A mill stands still", text: "A bearing the size of a dinner table has failed at one of the big " +
			"paper machines. Until it is replaced, everybody shops at the other mills."},
		{title: "Everybody prints a catalogue", text: "Three mail-order houses have decided, in the same week, that " +
			"catalogues are back. Their buyers reached the mills before you did."},
		{title: "Low water on the canal", text: "The barges that carry paper go half empty so as not to touch the " +
			"ground. What arrives is dear, and late."},
		{title: "The customs office reads everything", text: "A new form has appeared at the border, and nobody " +
			"agrees on how to fill it in. Lorries of paper queue behind it."},
	}
	strikeTales = []tale{
		{title: "Engines off", text: "The drivers of the parcel services want proper breaks and have taken all of " +
			"them at once. Suppliers look for anyone with a van."},
		{title: "Picnic at the depot", text: "The couriers have parked across the gates of the freight yard and " +
			"unfolded their camping chairs. Talks go on over coffee."},
		{title: "A bridge too few", text: "The motorway bridge is closed for cracks, and the way round leads through " +
			"eleven villages, each with its own tractor."},
		{title: "The tour planner forgets", text: "The hauliers have new routing software. " +
			"It sends every lorry to the same roundabout, where they wave at each other."},
		{title: "Snow in the pass", text: "Early snow has shut the short way over the hills. " +
			"Freight takes the long way round, behind the plough."},
	}
	fluTales = []tale{
		{title: "Something is going round", text: "It began at the choir practice, went on at the school, and is now " +
			"in every second office. Tea is sold out."},
		{title: "The cold of the year",
			text: "The pharmacy has put a chair on the pavement for those who wait. Half the town speaks in whispers."},
		{title: "Fever at the football club",
			text: "The whole second team lies in bed, and so does everyone who cheered for it on Sunday."},
		{title: "Handkerchief weather",
			text: "Wet feet, open windows, a crowded tram: by Wednesday the town sneezes in unison."},
		{title: "Doctor's orders",
			text: "The surgery has hung up a sign: stay at home, drink soup, do not come here. People obey."},
	}
	faultTales = []tale{
		{title: "A noise like a dropped spanner", text: "It came from inside the press, once, and then the press " +
			"stopped. The fitter listens to it with a wooden rod at his ear."},
		{title: "The wrong kind of dust",
			text: "A sensor sees sheets where there are none and refuses to go on. Its replacement comes by post."},
		{title: "Oil where no oil should be", text: "There is a puddle under the press, and it grows. " +
			"Everybody is asked to walk around it and to think of seals."},
		{title: "Update complete", text: "The control panel restarted by itself overnight. " +
			"It is now very friendly, in a language that nobody here speaks."},
		{title: "One tooth less", text: "A gear has lost a tooth. The part is small, old and not made any more, " +
			"except by a man two towns away who is having breakfast."},
	}
	powerTales = []tale{
		{title: "Dark before noon", text: "An excavator has found the cable that was not on the plan. " +
			"The electricity board promises light by twelve."},
		{title: "The swan and the transformer", text: "A swan has landed where swans should not land. " +
			"It is unharmed and annoyed; the substation is neither."},
		{title: "A fuse for the whole street", text: "The bakery's new oven and the laundry's new dryer were " +
			"switched on in the same minute. The street went quiet."},
		{title: "Storm in the wires", text: "A gust has laid a poplar across the overhead line. " +
			"Until the saws have finished, the morning is spent by daylight."},
		{title: "Planned, but not announced", text: "The grid operator has been testing the emergency switch. " +
			"It works. The letter about it will come tomorrow."},
	}
	fairTales = []tale{
		{title: "Halls full of handshakes", text: "The spring and autumn fairs have been merged into one, and every " +
			"exhibitor needs something to hang up and something to hand out."},
		{title: "The tourism fair comes to town", text: "Two hundred islands, forty spas and a submarine want to be " +
			"on paper by the weekend. Agencies call before they write."},
		{title: "Boats on dry land", text: "The boat show has rented three more halls. " +
			"Wherever there is a sail there is a brochure, and behind each brochure a poster."},
		{title: "A fair for everything with wheels", text: "Bicycles, barrows, a museum of roller skates: " +
			"the makers of wheels meet for a week, and all of them have forgotten their print."},
		{title: "The gardeners gather",
			text: "Nurseries show their roses, and the roses need names, prices and pictures as tall as a door."},
	}
	outageTales = []tale{
		{title: "The bank is counting again", text: "A clearing house has found the same transfer twice and has " +
			"stopped all others to look for more. The money is there; it does not move."},
		{title: "Please try again later", text: "The payment network answers each transfer with the same four words. " +
			"Accountants across the country make tea."},
		{title: "A key has expired", text: "Somebody forgot to renew a certificate at the clearing house. " +
			"The somebody is on holiday, on an island without reception."},
		{title: "The big migration",
			text: "Four banks move to a new system over one weekend, which has lasted since Friday."},
		{title: "Paper slips are back",
			text: "Since the transfer system is down, customers ask whether cheques still exist. They do not."},
	}
	heatTales = []tale{
		{title: "The ink runs by itself", text: "It is too hot for the fans to matter. " +
			"Ink thins, paper curls, and the presses are run at the speed of a siesta."},
		{title: "Asphalt like chewing gum",
			text: "The town moves in the shade. In the press hall the windows are open, and it makes no difference."},
		{title: "Ice cream for breakfast",
			text: "The foreman has bought a freezer for the crew and talks softly to the rollers. Both help a little."},
		{title: "The thermometer gives up",
			text: "It shows its highest number and stays there. Sheets stick together, and every tenth one argues."},
		{title: "A late summer, all at once",
			text: "The whole missed season arrives in one week. Presses overheat first, tempers after."},
	}
)

// stories change nothing. Their number is a prime.
var stories = []tale{ //nolint:gochecknoglobals // the texts themselves
	{"A first edition turns up", "A first edition of a forgotten almanac was found behind a radiator at the Veld " +
		"Municipal Library. It predicts rain for today, correctly.", Culture},
	{"The theatre cat retires", "After nineteen seasons the cat of the Halden Street Theatre leaves the stage. " +
		"Its understudy, a tabby, has never missed a rehearsal.", Culture},
	{"The longest rainbow", "Two schools measured a rainbow from both of its ends and could not agree. " +
		"Both sums hang in the town hall now.", Weather},
	{"Fog with a smell of bread",
		"The fog came down so thick that the bakery rang a bell for its customers. The bell will stay.", Weather},
	{"A marriage in type", "Two typesetters who had quarrelled over a comma for thirty years got married on " +
		"Saturday. The invitation had none.", People},
	{"The crew wins a cup", "The town's printers beat the town's bookbinders at tug-of-war, two pulls to one. " +
		"The bookbinders ask for a second edition.", People},
	{"A letter from the apprentice", "A postcard has come from the apprentice who went to sea. " +
		"The harbour on it is beautifully printed, he writes, and slightly out of register.", People},
	{"The museum wants the old proof press", "The museum of trades has asked for the proof press that stands in the " +
		"yard. It would have to take the blackbird that nests in it, too.", Technology},
	{"A typewriter at the tax office", "For one afternoon the tax office ran on a typewriter. " +
		"People report that the letters were shorter, and kinder.", Technology},
	{"A clock that strikes thirteen", "The town clock was repaired and now strikes once too often at one. " +
		"The council has voted to keep it for a year.", Technology},
	{"Brightwell is booked out",
		"Brightwell Events has sold every ticket for a concert whose band has not been named. Nobody minds.", Trade},
	{"The price of a coffee",
		"Orchard & Pine Cafés have frozen the price of a cup for the winter. A rival has melted theirs.", Trade},
	{"An atlas of small places", "Kestrel Travel brings out an atlas of places with fewer than ten inhabitants. " +
		"One of them has ordered eleven copies.", Trade},
	{"The night bus is back", "The night bus runs again, with a reading lamp above each seat. " +
		"Its first passengers stayed on for a second round.", Transport},
	{"A barge named after a font", "The new barge of the paper mill was christened with a bottle of ink. " +
		"It will be blue on one side for good.", Transport},
	{"The ferryman counts swans",
		"Tern Coastal Tours now sells its timetable with a column for swans sighted. Sundays lead.", Transport},
	{"A poem on every tram", "For a month each tram carries a poem instead of an advertisement. " +
		"Two people missed their stop over the one on line four.", Culture},
}

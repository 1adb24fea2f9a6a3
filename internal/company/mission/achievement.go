package mission

import (
	"platen/internal/company/record"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/money"
)

// Thresholds of the achievements (contract: OPEN.ACHIEVEMENTS).
const (
	firstProfitMinor money.Minor = 500_000
	ordersInTime                 = 10
	gangJobs                     = 4
	perfectRuns                  = 5
	perfectOversPct              = 3
	savedMinor       money.Minor = 50_000
	earlyDiscounts               = 3
	bargainPercent               = 10
	lotsInTime                   = 3
	approvals                    = 3
	keptDays                     = 20
	keptPayrolls                 = 3
	negativeCloses               = 3
	marathonDay                  = 60
)

// achievementID is the id of an achievement, which is a word.
type achievementID string

const (
	firstProfit      achievementID = "first_profit"
	onTheDot         achievementID = "on_the_dot"
	gangBoss         achievementID = "gang_boss"
	perfectSheet     achievementID = "perfect_sheet"
	sharpEye         achievementID = "sharp_eye"
	earlyBird        achievementID = "early_bird"
	marketTimer      achievementID = "market_timer"
	lotMaster        achievementID = "lot_master"
	approver         achievementID = "approver"
	civicDuty        achievementID = "civic_duty"
	crewKeeper       achievementID = "crew_keeper"
	phoenix          achievementID = "phoenix"
	cleanIntegration achievementID = "clean_integration"
	booksBalance     achievementID = "books_balance"
	marathon         achievementID = "marathon"
)

// Praise is the fixed part of an achievement, for the docs.
type Praise struct{ ID, Title, Text string }

var praises = []Praise{ //nolint:gochecknoglobals // the table itself
	{string(firstProfit), "In the black",
		"At the close of a day the company was worth 5,000.00 more than at its opening."},
	{string(onTheDot), "On the dot", "Ten sales orders in a row reached their customers in time."},
	{string(gangBoss), "Gang boss", "A run of four jobs or more on one make-ready."},
	{string(perfectSheet), "Perfect sheet", "Five runs in a row came out in full, with overs of 3 % at most."},
	{string(sharpEye), "Sharp eye", "Suppliers gave up 500.00 of what they billed, because their bills were matched."},
	{string(earlyBird), "Early bird", "Three suppliers' discounts for early payment were taken."},
	{string(marketTimer), "Good timing", "Bought on the market at ten per cent below the base price."},
	{string(lotMaster), "Lot master", "Three contract lots were billed and with their customers in time."},
	{string(approver), "Your signature", "Three purchase orders above the limit were approved."},
	{string(civicDuty), "Civic duty", "A world-wide order was fulfilled, and the company's share was worth a bonus."},
	{string(crewKeeper), "A good place to work",
		"Twenty working days in which no employee quit and all wages were paid in time."},
	{string(phoenix), "Phoenix", "Cash came back above zero after three closes or more below it."},
	{string(cleanIntegration), "Not one mistake",
		"A hundred writes in a row, and none that was rejected. Errors that only ask to wait do not count."},
	{string(booksBalance), "The books balance",
		"The whole ledger and the whole feed were read, without a gap."},
	{string(marathon), "Marathon", "Day 60, with cash in hand and goods delivered."},
}

// Praises lists every achievement, in the order of the docs.
func Praises() []Praise { return append([]Praise(nil), praises...) }

// AchievementStatus is the status of an achievement: there is only one.
type AchievementStatus string

// Unlocked is an achievement's status from its birth.
const Unlocked AchievementStatus = "unlocked"

// Achievement is something that the client's own work has unlocked (contract:
// OPEN.ACHIEVEMENTS). It is there from the moment on at which it is.
type Achievement struct {
	_ struct{} `doc:"An achievement that the client's own requests have unlocked in this sandbox."`

	record.Head
	Title      string            `json:"title" doc:"The title, for people."`
	Text       string            `json:"text" doc:"The thing that was done for it."`
	Status     AchievementStatus `json:"status" enum:"unlocked" doc:"Always unlocked: an achievement is listed from then on."`
	UnlockedAt moment.Instant    `json:"unlocked_at" doc:"When it was unlocked, in wall time."`
	record.Stamps
}

// Resource implements record.Row.
func (*Achievement) Resource() string { return "achievement" }

// State implements record.Row.
func (a *Achievement) State() string { return string(a.Status) }

// unlock adds an achievement, unless it is there.
func (b *Board) unlock(r *record.Recorder, id achievementID) {
	if b.has(string(id)) {
		return
	}
	for _, p := range praises {
		if p.ID != string(id) {
			continue
		}
		a, _ := b.Achievements.Add(r, Achievement{
			Head: record.Head{ID: p.ID}, Title: p.Title, Text: p.Text, Status: Unlocked, UnlockedAt: r.Wall(),
		}, struct{}{})
		r.Born(a)
		r.Emit(event.AchievementUnlocked, a, &event.AchievementUnlockedData{Title: a.Title})
	}
}

// has reports whether an achievement is unlocked.
func (b *Board) has(id string) bool {
	_, ok := b.Achievements.Find(id)
	return ok
}

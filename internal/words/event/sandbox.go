package event

import (
	"platen/internal/words/moment"
	"platen/internal/words/money"
)

// MissionCompletedData is the data of sandbox.mission.completed.
type MissionCompletedData struct {
	Head
	Title          string `json:"title" doc:"The title of the mission."`
	CompletedCount int64  `json:"completed_count" doc:"How many missions are completed now."`
	TotalCount     int64  `json:"total_count" doc:"How many missions the sandbox has."`
	Riders
}

// SandboxBankruptData is the data of sandbox.bankrupt.
type SandboxBankruptData struct {
	Head
	CashMinor    money.Minor `json:"cash_minor" doc:"The cash of the company, in minor units."`
	DaysNegative int64       `json:"days_negative" doc:"Day closes in a row with negative cash."`
	DayNumber    int64       `json:"day_number" doc:"The working day at whose close it happened, counted from 0."`
	Riders
}

// SandboxExpiringData is the data of sandbox.expiring.
type SandboxExpiringData struct {
	Head
	ExpiresAt      moment.Instant `json:"expires_at" doc:"The end of the lease, in wall time."`
	ExtensionsLeft int64          `json:"extensions_left" doc:"How many extensions of the lease are left."`
	Riders
}

// AchievementUnlockedData is the data of sandbox.achievement.unlocked.
type AchievementUnlockedData struct {
	Head
	Title string `json:"title" doc:"The title of the achievement."`
	Riders
}

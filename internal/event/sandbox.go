package event

import (
	"platen/internal/moment"
	"platen/internal/money"
)

// MissionCompletedData is the data of sandbox.mission.completed.
type MissionCompletedData struct {
	Head
	Title          string `json:"title"`
	CompletedCount int64  `json:"completed_count"`
	TotalCount     int64  `json:"total_count"`
	Riders
}

// SandboxBankruptData is the data of sandbox.bankrupt.
type SandboxBankruptData struct {
	Head
	CashMinor    money.Minor `json:"cash_minor"`
	DaysNegative int64       `json:"days_negative"`
	DayNumber    int64       `json:"day_number"`
	Riders
}

// SandboxExpiringData is the data of sandbox.expiring.
type SandboxExpiringData struct {
	Head
	ExpiresAt      moment.Instant `json:"expires_at"`
	ExtensionsLeft int64          `json:"extensions_left"`
	Riders
}

// AchievementUnlockedData is the data of sandbox.achievement.unlocked.
type AchievementUnlockedData struct {
	Head
	Title string `json:"title"`
	Riders
}

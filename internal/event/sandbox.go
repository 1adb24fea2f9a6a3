package event

import "platen/internal/money"

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

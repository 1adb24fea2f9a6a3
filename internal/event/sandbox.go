package event

// MissionCompletedData is the data of sandbox.mission.completed.
type MissionCompletedData struct {
	Head
	Title          string `json:"title"`
	CompletedCount int64  `json:"completed_count"`
	TotalCount     int64  `json:"total_count"`
	Riders
}

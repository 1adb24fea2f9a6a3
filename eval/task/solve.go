package task

import (
	"context"
	"encoding/json"
	"fmt"

	"platen/client"
	"platen/eval/oracle"
	"platen/eval/player"
)

// Oracle is the player that solves each task, and plays a company as the watchful player does. Tests, the terminal and
// the host of a task all solve with it.
func Oracle(ctx context.Context, t *Task, s *Prepared, baseURL string) ([]byte, error) {
	return Solve(ctx, t, oracle.NewPlayer(baseURL, client.Keys{Office: s.OfficeKey, Factory: s.FactoryKey}, s.Files))
}

// Nobody is the player that does nothing.
func Nobody(context.Context, *Task, *Prepared, string) ([]byte, error) { return nil, nil }

// Solve solves a task with the keys and files of a player, and returns the answer to file, empty for none.
func Solve(ctx context.Context, t *Task, p *oracle.Player) ([]byte, error) {
	if t.Days() > 0 {
		watchful := player.Watchful()
		return nil, watchful.PlayRemote(ctx, p.Client, t.Days()) //nolint:wrapcheck // it says who played
	}
	answer, err := oracle.Solutions()[t.Name](ctx, p)
	if err != nil || answer == nil {
		return nil, err
	}
	filed, err := json.Marshal(answer)
	if err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	return filed, nil
}

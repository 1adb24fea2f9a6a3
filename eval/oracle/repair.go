package oracle

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"platen/eval/tasks"
)

// settingsOf finds the settings in a program that was handed over.
var settingsOf = regexp.MustCompile(`(?s)\nPRODUCTS = \[([^\]]*)\]\nPRIORITY = (\d+)`)

// Repaired is the program of the task repair for the settings of the one that was handed over, with the named defects
// left in it.
func Repaired(p *Player, defects ...string) (any, error) {
	found := settingsOf.FindSubmatch(p.Files["bridge.py"])
	if found == nil {
		return nil, fmt.Errorf("the program has no settings")
	}
	products := strings.NewReplacer(`"`, "", " ", "").Replace(string(found[1]))
	text, err := tasks.Program("repair", "bridge.py", tasks.Settings{
		Products: products, Priority: string(found[2]),
	}, defects...)
	if err != nil {
		return nil, err //nolint:wrapcheck // it says what failed
	}
	return map[string]string{"program": string(text)}, nil
}

func repair(_ context.Context, p *Player) (any, error) { return Repaired(p) }

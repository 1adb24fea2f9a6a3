package tokens

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"platen/eval/player"
	printer "platen/internal/company"
	"platen/internal/company/preset"
	"platen/platentest"
	"platen/test/testclient"
)

// literal is an agent without rules of its own: it sends each command with which a line of the digest begins,
// unchanged, and lets the clock run until the next decision. It remembers nothing.
type literal struct {
	*agent

	// wait is the command that lets time pass.
	wait string
}

// decision waits for the next decision.
const decision = "advance_time until=decision"

// maxCommands is how many commands a call takes.
const maxCommands = 20

// after is the lines behind that of a command.
func after(said, operation string) []string {
	_, rest, _ := strings.Cut(said, " ok "+operation+"\n")
	return strings.Split(rest, "\n")
}

// commands are those with which lines begin.
func commands(lines []string) (all []string) {
	for _, line := range lines {
		if command, _, wants := strings.Cut(line, " # "); wants {
			all = append(all, command)
		}
	}
	return all
}

// life is the way of an agent through a company.
type life struct {
	worth, calls, sent, refused int
}

// lives plays a company for so many days.
func (l literal) lives(many int64) (played life) {
	said, _ := l.call("advance_time", row{"minutes": 1})
	first := strings.Fields(said)[0]
	for {
		lines := strings.Split(said, "\n")
		if days(first, strings.Fields(lines[0])[0]) >= many {
			break
		}
		all := append(commands(lines[1:]), l.wait)
		all = all[max(0, len(all)-maxCommands):]
		text, _ := l.call("do", row{"commands": all, "stop_on_error": false})
		played.sent += len(all)
		for i := range all {
			if !strings.Contains("\n"+text, fmt.Sprintf("\n%d ok ", i+1)) {
				played.refused++
			}
		}
		if said = strings.Join(after(text, "advance_time"), "\n"); said == "" {
			l.t.Fatalf("time does not pass: %s", text)
		}
	}
	played.calls = l.calls
	played.worth = int(l.data("get_sandbox", row{})["score"].(row)["net_worth_minor"].(float64))
	return played
}

// TestALiteralAgentHasFourFifthsOfTheSkill of watchful play in thirty days, as the guide on evaluations says. A judge
// of agents has to know how much of their skill the digest gives away.
func TestALiteralAgentHasFourFifthsOfTheSkill(t *testing.T) {
	t.Parallel()
	testclient.InCheck(t, "a literal agent earns more than greed")
	const played, worlds = 30, 10
	presets, err := preset.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	p := platentest.Start(t)
	copied, greedy, watchful := 0, 0, 0
	for seed := range worlds {
		s := p.Sandbox(t, platentest.Options{Preset: "agent_eval", Clock: "manual", Seed: new(int64(seed + 1))})
		copied += literal{newAgent(t, p.Origin, s.OfficeKey), decision}.lives(played).worth
		settings := printer.Settings{Preset: presets["agent_eval"], Seed: uint64(seed + 1)}
		worth := func(p player.Policy) int {
			result, err := (&player.Game{Settings: settings, Policy: p, Days: []int{played}}).Play()
			if err != nil {
				t.Fatal(err)
			}
			return int(result.WorthMinor[0])
		}
		greedy += worth(player.Greedy())
		watchful += worth(player.Watchful())
	}
	const said, about = 78, 5
	skill := 100 * (copied - greedy) / (watchful - greedy)
	t.Logf("skill %d %%: worth %d, greed %d, watchful %d", skill, copied/worlds/100, greedy/worlds/100,
		watchful/worlds/100)
	if skill < said-about || skill > said+about {
		t.Errorf("its skill is %d %%, and the guide says %d", skill, said)
	}
}

// TestALiteralAgentEarnsMoreThanGreed: in the mean of three presets and of each seed, with few calls and few commands
// refused.
func TestALiteralAgentEarnsMoreThanGreed(t *testing.T) {
	t.Parallel()
	const played, most = 30, 300
	seeds := 2
	if os.Getenv("PLATEN_TEST_THOROUGH") != "" {
		seeds = 10
	}
	presets, err := preset.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	p := platentest.Start(t)
	sum, greed, sent, refused, calls, lives := 0, 0, 0, 0, 0, 0
	for seed := range seeds {
		lead := 0
		for _, name := range []string{"starter", "agent_eval", "supply_shock"} {
			s := p.Sandbox(t, platentest.Options{Preset: name, Clock: "manual", Seed: new(int64(seed + 1))})
			one := literal{newAgent(t, p.Origin, s.OfficeKey), decision}.lives(played)
			game := player.Game{
				Settings: printer.Settings{Preset: presets[name], Seed: uint64(seed + 1)}, Policy: player.Greedy(),
				Days: []int{played},
			}
			other, err := game.Play()
			if err != nil {
				t.Fatal(err)
			}
			greedy := int(other.WorthMinor[0])
			fmt.Printf("%s %2d: worth %d, greed %d, %d calls, %d of %d commands refused\n", name, seed+1, one.worth/100,
				greedy/100, one.calls, one.refused, one.sent)
			if one.calls > most {
				t.Errorf("%s %d: %d days take %d calls, more than %d", name, seed+1, played, one.calls, most)
			}
			calls, lives = calls+one.calls, lives+1
			lead += one.worth - greedy
			sum, greed = sum+one.worth, greed+greedy
			sent, refused = sent+one.sent, refused+one.refused
		}
		if lead <= 0 {
			t.Errorf("seed %d: it earns %d less than greed", seed+1, -lead)
		}
	}
	t.Logf("%d days, in the mean: worth %d, greed %d, %d calls", played, sum/lives/100, greed/lives/100, calls/lives)
	if refused*20 > sent {
		t.Errorf("%d of %d commands are refused", refused, sent)
	}
}

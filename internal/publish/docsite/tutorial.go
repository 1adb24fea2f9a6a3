package docsite

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"platen/docs"
)

// tutorialLanguage is one in which the programs of the tutorial are shown.
type tutorialLanguage struct {
	name, ending string
	// run is the command that starts the program.
	run string
}

func tutorialLanguages() []tutorialLanguage {
	return []tutorialLanguage{
		{"python", "py", "python3 bridge.py"},
		{"javascript", "mjs", "node bridge.mjs"},
		{"go", "go", "go run api.go bridge.go"},
	}
}

// program are the blocks with a file of the tutorial as it is at a step, one for each
// language. Lines that came with a later step than the first are marked.
func program(step int, name string) (string, error) {
	blocks := make([]string, 0, len(tutorialLanguages()))
	for _, l := range tutorialLanguages() {
		source, err := docs.Tutorial.ReadFile("_tutorial/" + name + "." + l.ending)
		if err != nil {
			return "", err //nolint:wrapcheck // it names the file
		}
		text, added := atStep(step, string(source))
		marks := ""
		if step > 1 {
			marks = " new=" + ranges(added)
		}
		blocks = append(blocks, fmt.Sprintf("```%s file=%s.%s only=%s%s\n%s```",
			l.name, name, l.ending, l.name, marks, text))
	}
	return strings.Join(blocks, "\n\n"), nil
}

// stepMark finds the marks that docs.Tutorial tells of, from the comment to the end of the line.
var stepMark = regexp.MustCompile(`(?://|#) (?:step (\d)|until (\d): (.*))\n`)

// atStep is a file as it is at a step, and the numbers of the lines that came with that.
func atStep(step int, source string) (string, []int) {
	var kept []string
	var added []int
	section := 1
	for line := range strings.Lines(source) {
		from, until := section, step
		if m := stepMark.FindStringSubmatch(line); m != nil {
			before, _, _ := strings.Cut(line, m[0])
			named, _ := strconv.Atoi(m[1] + m[2]) // a digit
			switch {
			case m[2] != "":
				until, line = named, before+m[3]+"\n"
			case strings.TrimSpace(before) != "":
				from, line = named, strings.TrimRight(before, " ")+"\n"
			default:
				section = named
				continue
			}
		}
		if step < from || step > until {
			continue
		}
		kept = append(kept, line)
		if from == step {
			added = append(added, len(kept))
		}
	}
	return strings.Join(kept, ""), added
}

// starting are the blocks with the command that starts the program, one for each language,
// as a test runs it, and behind it the same text in each.
func starting(behind string) string { return commands("test ", behind) }

// following are the blocks with the command that starts the program and leaves it running.
func following() string { return commands("", " --follow") }

func commands(mark, behind string) string {
	blocks := make([]string, 0, len(tutorialLanguages()))
	for _, l := range tutorialLanguages() {
		blocks = append(blocks, fmt.Sprintf("```sh %sonly=%s\n%s%s\n```", mark, l.name, l.run, behind))
	}
	return strings.Join(blocks, "\n\n")
}

// ranges writes ascending numbers as 3-9,12.
func ranges(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		if j == i {
			parts = append(parts, fmt.Sprint(numbers[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", numbers[i], numbers[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, ",")
}

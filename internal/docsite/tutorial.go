package docsite

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
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
// language. Lines that are not in the version before it are marked.
func program(step int, name string) (string, error) {
	blocks := make([]string, 0, len(tutorialLanguages()))
	for _, l := range tutorialLanguages() {
		text, err := tutorialFile(step, name, l.ending)
		if err != nil {
			return "", err
		}
		marks := ""
		for before := step - 1; before > 0; before-- {
			previous, err := tutorialFile(before, name, l.ending)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return "", err
			}
			marks = " new=" + ranges(addedLines(lines(previous), lines(text)))
			break
		}
		blocks = append(blocks, fmt.Sprintf("```%s file=%s.%s only=%s%s\n%s```",
			l.name, name, l.ending, l.name, marks, text))
	}
	return strings.Join(blocks, "\n\n"), nil
}

func tutorialFile(step int, name, ending string) (string, error) {
	raw, err := docs.Tutorial.ReadFile(fmt.Sprintf("_tutorial/step%d/%s.%s", step, name, ending))
	return string(raw), err //nolint:wrapcheck // it names the file
}

// starting are the blocks with the command that starts the program, one for each language,
// as a test runs it. Behind it stands what is the same in all of them.
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

func lines(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }

// addedLines are the numbers of the lines of after that are not in the longest sequence
// that it has in common with before.
func addedLines(before, after []string) []int {
	length := make([][]int, len(before)+1) // of what the ends from i and j on have in common
	for i := range length {
		length[i] = make([]int, len(after)+1)
	}
	for i, line := range slices.Backward(before) {
		for j, other := range slices.Backward(after) {
			if line == other {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	var added []int
	i := 0
	for j := range after {
		for i < len(before) && before[i] != after[j] && length[i+1][j] >= length[i][j+1] {
			i++
		}
		if i < len(before) && before[i] == after[j] {
			i++
			continue
		}
		added = append(added, j+1)
	}
	return added
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

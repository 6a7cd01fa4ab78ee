package linttest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
)

var (
	// plantMark names a bug and the line that has it.
	plantMark = regexp.MustCompile(`^(\s*"?\s*)# bug ((?:todo )?[A-Z]+[0-9]+(?:, (?:todo )?[A-Z]+[0-9]+)*): ?(.*?)(\\n",?|"?)$`)
	// andMark is a further line of the bug that was named last.
	andMark = regexp.MustCompile(`^(\s*"?\s*)# and: (.*?)(\\n",?|"?)$`)
	// foundMark says where findings start, if not on the line that changes.
	foundMark = regexp.MustCompile(`# found: ([A-Z]+[0-9]+(?:, [A-Z]+[0-9]+)*)(\\n",?|"?)$`)
	// lineParts is a line, of Python or of the JSON of a notebook: indentation, code, end.
	lineParts = regexp.MustCompile(`^(\s*"?\s*)(.*?)(\\n",?|"?)$`)
)

// plant is a bug that a program says it could have.
type plant struct {
	codes   []string // those that are not found yet begin with "todo "
	changes []change
}

// change replaces one line, counted from 0.
type change struct {
	row  int
	text string
}

// Planted checks correct programs, in which nothing may be found, and each of them
// with every bug that its comments propose:
//
//	ratio = torch.exp(logp - old)
//	# bug OBJ001: ratio = logp - old
//
// Such a comment gives the wrong line for the one above it. A comment "# and: LINE"
// changes a further line for the bug named last. The finding has to start on the
// changed line, the last of several, unless a line ends with "# found: CODE"; and
// nothing else may be found. "todo CODE" is a known miss: once it is found, the
// word has to go.
func Planted(t *testing.T, pattern string, analyzers ...*analysis.Analyzer) {
	t.Helper()
	eachProgram(t, pattern, func(t *testing.T, files map[string]string) {
		t.Run("correct", func(t *testing.T) { marked(t, files, analyzers) })
		for name, text := range files {
			lines := strings.Split(text, "\n")
			for i, p := range plantsOf(lines) {
				t.Run(fmt.Sprintf("%d %s", i+1, strings.Join(p.codes, " ")), func(t *testing.T) {
					marked(t, map[string]string{name: p.in(lines)}, analyzers)
				})
			}
		}
	})
}

// plantsOf reads the bugs that comments propose.
func plantsOf(lines []string) []plant {
	var plants []plant
	above := 0 // the last line that is no such comment
	for row, line := range lines {
		if m := plantMark.FindStringSubmatch(line); m != nil {
			plants = append(plants, plant{strings.Split(m[2], ", "), []change{{above, m[3]}}})
		} else if m := andMark.FindStringSubmatch(line); m != nil {
			last := &plants[len(plants)-1]
			last.changes = append(last.changes, change{above, m[2]})
		} else {
			above = row
		}
	}
	return plants
}

// in returns the program with the bug, marked for marked.
func (p plant) in(lines []string) string {
	lines = slices.Clone(lines)
	for _, c := range p.changes {
		parts := lineParts.FindStringSubmatch(lines[c.row])
		lines[c.row] = parts[1] + c.text + parts[3]
	}
	marks := map[int][2][]string{} // by row: codes found, codes missed
	for _, item := range p.codes {
		code, missed := strings.CutPrefix(item, "todo ")
		rows := foundRows(lines, code)
		if len(rows) == 0 {
			rows = []int{p.changes[len(p.changes)-1].row}
		}
		for _, row := range rows {
			m := marks[row]
			if missed {
				m[1] = append(m[1], code)
			} else {
				m[0] = append(m[0], code)
			}
			marks[row] = m
		}
	}
	for row, m := range marks {
		mark := ""
		if len(m[0]) > 0 {
			mark = "  # bug: " + strings.Join(m[0], ", ")
		} else {
			mark = "  # todo-bug: " + strings.Join(m[1], ", ")
		}
		parts := lineParts.FindStringSubmatch(lines[row])
		lines[row] = parts[1] + parts[2] + mark + parts[3]
	}
	return strings.Join(lines, "\n")
}

// foundRows returns the lines that say that a code is found there.
func foundRows(lines []string, code string) []int {
	var rows []int
	for row, line := range lines {
		if m := foundMark.FindStringSubmatch(line); m != nil && slices.Contains(strings.Split(m[1], ", "), code) {
			rows = append(rows, row)
		}
	}
	return rows
}

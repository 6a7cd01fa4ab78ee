package view

import (
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/rlvet/rlvet/internal/audit"
	"github.com/rlvet/rlvet/internal/audit/record"
)

// shownCheckpoints bounds the table on a terminal.
const shownCheckpoints = 12

// checkpoints writes the table: the metrics by which they are judged, as many as fit, and
// what is to be said of each.
func (t *text) checkpoints() {
	if len(t.r.Checkpoints) == 0 {
		return
	}
	shown := thinCheckpoints(t.r, shownCheckpoints)
	rows := t.rows(shown, metrics(t.r))
	t.Printf("\n")
	for i, line := range align(rows) {
		line = cut(line, t.look.Width)
		if i == 0 {
			line = t.Label(line)
		} else if c := shown[i-1]; c.Excluded() {
			line = t.Bad(line)
		} else if isRecommended(t.r, c) {
			line = t.Good(line)
		}
		t.Printf("%s\n", line)
	}
	if left := len(t.r.Checkpoints) - len(shown); left > 0 {
		t.Printf("  and %d more (--output-format json lists them)\n", left)
	}
}

// rows are the cells of the table under their heads, without the last metrics where those
// would not fit.
func (t *text) rows(shown []*audit.Checkpoint, names []string) [][]string {
	for {
		rows := [][]string{tableHead(t.r, names)}
		above := ""
		for _, c := range shown {
			rows = append(rows, tableRow(t.r, c, names, &above))
		}
		if len(names) <= 1 || t.look.Width <= 0 || widest(align(rows)) <= t.look.Width {
			return rows
		}
		names = names[:len(names)-1]
	}
}

func tableHead(r *audit.Result, names []string) []string {
	out := []string{" ", "checkpoint"}
	for _, name := range names {
		out = append(out, headOf(r, name))
	}
	return append(out, "")
}

// headOf is the name of a metric with its unit where the cells do not say it.
func headOf(r *audit.Result, name string) string {
	head := named(name)
	for _, c := range r.Checkpoints {
		if m, ok := c.Metrics[name]; ok && m.Unit == record.Share {
			return head + ", %"
		}
	}
	return head
}

// tableRow says why a checkpoint is excluded unless the one above is for the same reasons.
func tableRow(r *audit.Result, c *audit.Checkpoint, names []string, above *string) []string {
	out := []string{sign(r, c), checkpointName(c.Path, c.Step)}
	for _, name := range names {
		out = append(out, cell(c, name, name == r.Primary))
	}
	why := exclusion(c)
	parts := remarks(r, c)
	if likewise := "excluded likewise"; why == *above && len(why) > len(likewise) {
		parts = append([]string{likewise}, parts...)
	} else if why != "" {
		parts = append([]string{"excluded: " + why}, parts...)
	}
	*above = why
	return append(out, strings.Join(parts, "; "))
}

// cell is the value of a metric, with its interval where there is one and it is asked for.
func cell(c *audit.Checkpoint, name string, whole bool) string {
	value, low, high := cellParts(c, name)
	if !whole || low == "" {
		return value
	}
	return value + " [" + low + ", " + high + "]"
}

// cellParts are the value of a metric and the ends of its interval, "" without one; "–"
// without a value.
func cellParts(c *audit.Checkpoint, name string) (value, low, high string) {
	m, ok := c.Metrics[name]
	if !ok {
		return "–", "", ""
	}
	scale, _ := scaleOf(m.Unit)
	if m.Low != nil && m.High != nil {
		low, high = short(scale**m.Low), short(scale**m.High)
	}
	return short(scale * m.Value), low, high
}

func isRecommended(r *audit.Result, c *audit.Checkpoint) bool {
	return r.Recommended != nil && r.Recommended.Step == c.Step
}

func isByReward(r *audit.Result, c *audit.Checkpoint) bool {
	return r.ByRewardAlone != nil && r.ByRewardAlone.Step == c.Step
}

// sign is what the colour of a row says.
func sign(r *audit.Result, c *audit.Checkpoint) string {
	switch {
	case c.Excluded():
		return "✗"
	case isRecommended(r, c):
		return "✓"
	}
	return " "
}

// exclusion says why a checkpoint is no choice, "" where it is one.
func exclusion(c *audit.Checkpoint) string {
	var list []string
	for _, name := range c.Disqualified {
		list = append(list, named(name))
	}
	if c.BelowBase && len(list) == 0 {
		list = append(list, "below the base model")
	}
	return strings.Join(list, ", ")
}

// remarks say in words what else there is to say of a checkpoint.
func remarks(r *audit.Result, c *audit.Checkpoint) []string {
	var out []string
	if isRecommended(r, c) {
		out = append(out, "recommended")
	}
	if isByReward(r, c) {
		out = append(out, "highest reward")
	}
	if c.Pareto && !c.Excluded() {
		out = append(out, "Pareto")
	}
	return out
}

// thinCheckpoints keeps those that matter (the first, the last, the recommended one and
// that of the reward alone), and of the rest as many as there is room for, evenly.
func thinCheckpoints(r *audit.Result, most int) []*audit.Checkpoint {
	n := len(r.Checkpoints)
	keep := make([]bool, n)
	left := most
	for i := range r.Checkpoints {
		if c := &r.Checkpoints[i]; n <= most || i == 0 || i == n-1 || isRecommended(r, c) || isByReward(r, c) {
			keep[i], left = true, left-1
		}
	}
	for i := range max(0, left) { // where one is kept already, there is one less
		keep[(i+1)*n/(left+1)] = true
	}
	var out []*audit.Checkpoint
	for i := range r.Checkpoints {
		if keep[i] {
			out = append(out, &r.Checkpoints[i])
		}
	}
	return out
}

// align sets cells in columns: numbers to the right, the first two and the last to the left.
func align(rows [][]string) []string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, c := range row {
			widths[i] = max(widths[i], cells(c))
		}
	}
	out := make([]string, len(rows))
	for i, row := range rows {
		line := slices.Clone(row)
		for j, c := range row {
			if j < 2 || j == len(row)-1 {
				line[j] = runewidth.FillRight(c, widths[j])
			} else {
				line[j] = runewidth.FillLeft(c, widths[j])
			}
		}
		out[i] = strings.TrimRight(line[0]+" "+strings.Join(line[1:], "  "), " ")
	}
	return out
}

func widest(lines []string) (width int) {
	for _, line := range lines {
		width = max(width, cells(line))
	}
	return width
}

// cells is the width of a text on a terminal; colours have none.
func cells(text string) int { return runewidth.StringWidth(uncoloured.ReplaceAllString(text, "")) }

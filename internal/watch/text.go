package watch

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/rlvet/rlvet/internal/vet"
	"github.com/rlvet/rlvet/internal/words"
)

// mostRows is how many rows of a place and a seed the text shows.
const mostRows = 12

// WriteText writes a table a place: a row a seed, update and mini-epoch. Of long runs it shows
// some updates, evenly spread.
func WriteText(w io.Writer, r *Result) error {
	for _, p := range r.Places {
		fmt.Fprintf(w, "%s  %s%s\n", p.Where(), p.Text, p.is())
		if p.Doubt != "" {
			fmt.Fprintf(w, "  nothing was written down: %s\n\n", words.Plain(p.Doubt))
			continue
		}
		groups := Groups(p.Values)
		table(w, p, groups)
		fmt.Fprintln(w)
	}
	if len(r.Runs) > 0 {
		fmt.Fprintf(w, "%s: %s, %s with Python %s, torch %s; %s.\n", r.Script, words.Count(len(r.Places), "place"), words.Count(len(r.Runs), "seed"), r.Python.Version, r.Python.Torch, r.Isolation.Means())
	}
	return nil
}

func table(w io.Writer, p Place, groups []Group) {
	ratio := p.Quantity == "ratio"
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := "seed\tupdate\tmini-epoch\tmean\tstd\tmin\tmax\tzeros\tNaN\tgradient\tshape\t"
	if ratio {
		head = "seed\tupdate\tmini-epoch\tmean\tclipped\tKL\tmin\tmax\tNaN\tgradient\tshape\t"
	}
	fmt.Fprintln(t, head)
	left := 0
	for _, g := range shown(groups) {
		if g == nil {
			left++
			continue
		}
		gradient := "no"
		if g.Attached {
			gradient = "yes"
		}
		middle := fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s\t%s", digits(g.Mean), digits(g.Std), digits(g.Low), digits(g.High), share(g.Zeros, g.Count), share(g.NaN+g.Inf, g.Count), gradient)
		if ratio {
			middle = fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s\t%s", digits(g.Mean), percent(g.Clipped), digits(g.KL), digits(g.Low), digits(g.High), share(g.NaN+g.Inf, g.Count), gradient)
		}
		fmt.Fprintf(t, "%d\t%d\t%d\t%s\t%s\t\n", g.Seed, g.Update+1, g.Epoch+1, middle, shape(g.Shape))
	}
	t.Flush()
	if left > 0 {
		fmt.Fprintf(w, "  %s not shown; --csv and --output-format json have all\n", words.Choose(left, "1 row is", strconv.Itoa(left)+" rows are"))
	}
}

// shown are the groups to show, nil for each that is left out: of every seed the first update, the last,
// and some between them, each with all its mini-epochs.
func shown(groups []Group) (out []*Group) {
	for _, own := range bySeed(groups) {
		var updates []int
		for _, g := range own {
			if n := len(updates); n == 0 || updates[n-1] != g.Update {
				updates = append(updates, g.Update)
			}
		}
		keep := spread(updates, max(2, mostRows*len(updates)/len(own)))
		for i := range own {
			if slices.Contains(keep, own[i].Update) {
				out = append(out, &own[i])
			} else {
				out = append(out, nil)
			}
		}
	}
	return out
}

// spread chooses as many of a list, evenly, the first and the last among them.
func spread[T any](list []T, most int) []T {
	if len(list) <= most {
		return list
	}
	var out []T
	for i := range most {
		out = append(out, list[i*(len(list)-1)/(most-1)])
	}
	return out
}

func digits(v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return strconv.FormatFloat(v, 'g', 5, 64)
}

func share(n, of int) string {
	if n == 0 {
		return "0"
	}
	return percent(float64(n) / float64(of))
}

func percent(v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return strconv.FormatFloat(100*v, 'f', 1, 64) + "%"
}

func shape(s []int) string {
	if len(s) == 0 {
		return "()"
	}
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(s), "[]"), " ", "x")
}

// WriteCSV writes every evaluation as a row.
func WriteCSV(w io.Writer, r *Result) error {
	c := csv.NewWriter(w)
	rows := [][]string{{
		"file", "cell", "line", "expression", "quantity", "by_name", "seed", "process", "evaluation", "optimizer_steps", "update", "mini_epoch", "rounds",
		"shape", "dtype", "count", "mean", "std", "min", "max", "nan", "inf", "zeros", "requires_grad", "clipped", "kl",
	}}
	for _, p := range r.Places {
		for _, v := range p.Values {
			rows = append(rows, []string{
				p.File, strconv.Itoa(p.Cell), strconv.Itoa(p.Line), p.Text, p.Quantity, strconv.FormatBool(p.ByName), strconv.Itoa(v.Seed), v.Process, strconv.Itoa(v.Hit), strconv.Itoa(v.Step),
				strconv.Itoa(v.Update()), strconv.Itoa(v.Epoch()), strings.Trim(fmt.Sprint(v.Rounds), "[]"), shape(v.Shape), v.Type, strconv.Itoa(v.Count),
				exact(v.Mean), exact(v.Std), exact(v.Low), exact(v.High), strconv.Itoa(v.NaN), strconv.Itoa(v.Inf), strconv.Itoa(v.Zeros),
				strconv.FormatBool(v.Attached), exact(v.Clipped), exact(v.KL),
			})
		}
	}
	return c.WriteAll(rows)
}

func exact(n *Number) string {
	if n == nil {
		return ""
	}
	return strconv.FormatFloat(float64(*n), 'g', -1, 64)
}

// JSON is a result as `rlvet watch --output-format json` prints it.
type JSON struct {
	Script    string      `json:"script"`
	Places    []PlaceJSON `json:"places"`
	Misplaced []string    `json:"misplaced,omitempty"`
}

// PlaceJSON is a place in JSON.
type PlaceJSON struct {
	File       string  `json:"filename"`
	Cell       int     `json:"cell,omitempty"`
	Line       int     `json:"row"`
	Expression string  `json:"expression"`
	Quantity   string  `json:"quantity,omitempty"`
	ByName     bool    `json:"by_name,omitempty"`
	Doubt      string  `json:"doubt,omitempty"`
	Left       int     `json:"left_out,omitempty"` // evaluations
	Values     []Value `json:"values"`
}

// JSON is the result with at most so many evaluations a place, evenly spread.
func (r *Result) JSON(most int) JSON {
	out := JSON{Script: r.Script, Places: []PlaceJSON{}, Misplaced: r.Misplaced}
	for _, p := range r.Places {
		values := append([]Value{}, spread(p.Values, most)...)
		out.Places = append(out.Places, PlaceJSON{p.File, p.Cell, p.Line, p.Text, p.Quantity, p.ByName, p.Doubt, len(p.Values) - len(values), values})
	}
	return out
}

// WriteJSON writes all as one object.
func WriteJSON(w io.Writer, r *Result) error {
	text, err := vet.Marshal(r.JSON(math.MaxInt), "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

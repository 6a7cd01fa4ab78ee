package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/source"
)

// debugCommands returns the commands that show what the engine thinks.
func (a *app) debugCommands() []*cobra.Command {
	debug := &cobra.Command{
		Use: "debug", Short: "Show what rlvet knows about a program", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var all bool
	values := &cobra.Command{
		Use: "values FILE", Short: "Print the quantity of every expression below its line",
		Long: "Print the file with, below each line, the expressions whose quantity is known: owner, kind, shape, gradient, bounds. An expression that several calls evaluate to different quantities is printed once for each.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("`rlvet debug values` needs one file")
			}
			return a.debugValues(cmd.Context(), args[0], all)
		},
	}
	values.Flags().BoolVar(&all, "all", false, "print expressions of unknown kind too")
	debug.AddCommand(values, a.coverageCommand())
	return []*cobra.Command{debug}
}

// shownValue is an expression and the quantity that it has in some frame.
type shownValue struct {
	span     ast.Span
	quantity string
}

// debugValues evaluates a file in its project and prints what came out.
func (a *app) debugValues(ctx context.Context, path string, all bool) error {
	var file *source.File
	var values []shownValue
	collect := &analysis.Analyzer{
		Name: "shown", Doc: "collects the values of one module", Requires: []*analysis.Analyzer{pass.Syntax, pass.Values},
		Run: func(p *analysis.Pass) (any, error) {
			if src := p.ResultOf[pass.Syntax].(*pass.Source); src.File.Path == path {
				file, values = src.File, shownValues(p.ResultOf[pass.Values].(*infer.Result), src.AST, all)
			}
			return nil, nil
		},
	}
	res, err := engine.Check(ctx, []string{path}, engine.Options{Analyzers: []*analysis.Analyzer{collect}, Jobs: 1})
	if err != nil {
		return err
	}
	for _, p := range res.Problems {
		if p.Fatal {
			return fmt.Errorf("%s: %s", p.File, p.Message)
		}
	}
	if file == nil {
		return fmt.Errorf("%s was not evaluated", path)
	}
	_, err = a.Stdout.Write(valueListing(file, values))
	return err
}

// shownValues returns the values of a module in order of their lines, inner
// expressions first, each once.
func shownValues(res *infer.Result, tree *ast.Module, all bool) []shownValue {
	var out []shownValue
	for _, f := range res.Frames {
		if f.Stale() || f.Module.AST != tree {
			continue
		}
		for v := range f.Each {
			if v.Node != nil && (all || pass.Tells(v)) {
				out = append(out, shownValue{v.Node.Span(), v.Q.String()})
			}
		}
	}
	slices.SortFunc(out, func(a, b shownValue) int {
		if a.span.End != b.span.End {
			return int(a.span.End) - int(b.span.End)
		}
		if a.span.Start != b.span.Start {
			return int(b.span.Start) - int(a.span.Start)
		}
		return strings.Compare(a.quantity, b.quantity)
	})
	return slices.Compact(out)
}

// valueListing writes the lines of a file, each with the values that start on
// it.
func valueListing(file *source.File, values []shownValue) []byte {
	lines := file.Lines()
	byRow := map[int][]shownValue{}
	for _, v := range values {
		row := lines.Row(int(v.span.Start))
		byRow[row] = append(byRow[row], v)
	}
	var b bytes.Buffer
	for row := 1; row <= lines.Count(); row++ {
		start := lines.Start(row)
		if cell := file.CellAt(start); cell != nil && cell.Start == start {
			fmt.Fprintf(&b, "cell %d\n", cell.Number)
		}
		if row == lines.Count() && start == len(file.Text) {
			break // the empty line behind the final line end
		}
		fmt.Fprintf(&b, "%4d  %s\n", file.Position(start).Row, file.LineText(start))
		for _, v := range byRow[row] {
			text := strings.Join(strings.Fields(string(file.Text[v.span.Start:v.span.End])), " ")
			fmt.Fprintf(&b, "        # %s: %s\n", shorten(text), v.quantity)
		}
	}
	return b.Bytes()
}

// shorten cuts a long expression in the middle.
func shorten(text string) string {
	const most = 48
	if r := []rune(text); len(r) > most {
		return string(r[:most/2]) + "…" + string(r[len(r)-most/2:])
	}
	return text
}

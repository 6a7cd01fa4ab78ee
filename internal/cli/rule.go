package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rlvet/rlvet/internal/pager"
	"github.com/rlvet/rlvet/internal/report"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/words"
)

// ruleJSON is a rule in `rlvet rules --output-format json`.
type ruleJSON struct {
	Code        string `json:"code"`
	Name        string `json:"name"`
	Family      string `json:"family"`
	Severity    string `json:"severity"`
	Status      string `json:"status"`
	Evidence    string `json:"evidence"`
	Fix         string `json:"fix"`
	Summary     string `json:"summary"`
	URL         string `json:"url"`
	Explanation string `json:"explanation,omitempty"` // of `rlvet rule` only
}

func toJSON(d *rule.Doc) ruleJSON {
	return ruleJSON{Code: d.Code, Name: d.Name, Family: d.Family, Severity: string(d.Severity), Status: string(d.Status),
		Evidence: string(d.Evidence), Fix: string(d.Fix), Summary: d.Summary(), URL: d.URL()}
}

func (a *app) ruleCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use: "rule CODE", Short: "Explain a rule", Example: "  rlvet rule ADV009\n  rlvet rule std-without-eps",
		ValidArgsFunction: a.completeRules,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("`rlvet rule` needs one code or name; `rlvet rules` lists all")
			}
			e, ok := a.rules.Lookup(args[0])
			if !ok {
				return a.rules.Unknown(args[0])
			}
			return a.explain(e.Doc, format)
		},
	}
	cmd.Flags().StringVar(&format, "output-format", "text", "print as `FORMAT`: text, markdown or json")
	return cmd
}

// show prints what write writes, on a terminal by the reader's pager.
func (a *app) show(write func(io.Writer) error) error {
	if !a.IsTerminal(a.Stdout) {
		return write(a.Stdout)
	}
	var b strings.Builder
	if err := write(&b); err != nil {
		return err
	}
	return pager.Show(b.String(), a.Stdout, a.Stderr)
}

// explain prints the page of a rule.
func (a *app) explain(d *rule.Doc, format string) error {
	switch format {
	case "text":
		return a.show(func(w io.Writer) error { return d.Render(w, a.coloured(a.Stdout)) })
	case "markdown":
		_, err := fmt.Fprint(a.Stdout, d.Markdown())
		return err
	case "json":
		out := toJSON(d)
		out.Explanation = d.Markdown()
		return a.printJSON(out)
	}
	return fmt.Errorf("--output-format: %q is none of text, markdown, json", format)
}

func (a *app) rulesCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use: "rules [SELECTOR...]", Short: "List the rules", Example: "  rlvet rules\n  rlvet rules ADV KL",
		RunE: func(_ *cobra.Command, args []string) error {
			docs, err := a.selected(args)
			if err != nil {
				return err
			}
			return a.listRules(docs, format)
		},
	}
	cmd.Flags().StringVar(&format, "output-format", "text", "print as `FORMAT`: text or json")
	return cmd
}

// selected returns the pages that selectors mean, all where there are none.
func (a *app) selected(selectors []string) ([]*rule.Doc, error) {
	wanted := map[string]bool{}
	for _, s := range selectors {
		codes, _, err := a.rules.Match(s)
		if err != nil {
			return nil, err
		}
		for _, c := range codes {
			wanted[c] = true
		}
	}
	var out []*rule.Doc
	for _, e := range a.rules.Entries() {
		if len(selectors) == 0 || wanted[e.Doc.Code] {
			out = append(out, e.Doc)
		}
	}
	return out, nil
}

func (a *app) listRules(docs []*rule.Doc, format string) error {
	switch format {
	case "text":
		return a.tableOfRules(docs)
	case "json":
		list := make([]ruleJSON, 0, len(docs))
		for _, d := range docs {
			list = append(list, toJSON(d))
		}
		return a.printJSON(list)
	}
	return fmt.Errorf("--output-format: %q is none of text, json", format)
}

// tableOfRules prints a line a rule under the title of its family.
func (a *app) tableOfRules(docs []*rule.Doc) error {
	var b strings.Builder
	width := 0
	for _, d := range docs {
		width = max(width, len(d.Name))
	}
	for _, f := range rule.Families {
		title := false
		for _, d := range docs {
			if d.Family != f.Name {
				continue
			}
			if !title {
				fmt.Fprintf(&b, "\n%s (%s)\n", f.Title, f.Prefix)
				title = true
			}
			fmt.Fprintf(&b, "  %-7s  %-*s  %-7s  %-7s  fix: %s\n", d.Code, width, d.Name, d.Severity, d.Status, d.Fix)
		}
	}
	fmt.Fprintf(&b, "\n%s\n", a.selectionHelp(docs))
	return a.show(func(w io.Writer) error {
		_, err := io.WriteString(w, strings.TrimPrefix(b.String(), "\n"))
		return err
	})
}

// selectionHelp says how many of the rules are on, and how to choose others.
func (a *app) selectionHelp(docs []*rule.Doc) string {
	stable, families := 0, []string{}
	for _, f := range rule.Families {
		if slices.ContainsFunc(a.rules.Entries(), func(e rule.Entry) bool { return e.Doc.Family == f.Name }) {
			families = append(families, f.Prefix)
		}
	}
	for _, d := range docs {
		if d.Status == rule.Stable {
			stable++
		}
	}
	on := fmt.Sprintf("%s: %d stable, on by default; %d in preview, on with --preview.", words.Count(len(docs), "rule"), stable, len(docs)-stable)
	return on + "\nSelect rules with --select and --ignore, by code, name or family: " + strings.Join(families, ", ") + ", or ALL."
}

func (a *app) completeRules(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, e := range a.rules.Entries() {
		out = append(out, fmt.Sprintf("%s\t%s: %s", e.Doc.Code, e.Doc.Name, e.Doc.Summary()))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// printJSON prints v, indented, without escaping what code is full of.
func (a *app) printJSON(v any) error {
	return report.WriteJSON(a.Stdout, v)
}

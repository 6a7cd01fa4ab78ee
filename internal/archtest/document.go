package archtest

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// documentName is where the laws are written down.
const documentName = "ARCHITECTURE.md"

// Layers that have no number. They stand beside the numbered ones: nothing that
// ships imports them.
const (
	layerTest = -1 // helpers of tests, imported by test files only
	layerTool = -2 // commands for developers, imported by nothing
)

// document is what ARCHITECTURE.md demands.
type document struct {
	layers     []layerRow
	fences     []fenceRow
	modules    []moduleRow
	exemptions []exemptionRow
}

// layerRow places a package, or a pattern of packages, in a layer.
type layerRow struct {
	line    int
	layer   int      // 0 is the lowest; layerTest and layerTool have no number
	pattern string   // relative to the module: internal/py/ast, analyzers/*/*
	beside  []string // packages of the same layer that it may import
}

// fenceRow confines an import, whatever the layers say. Exactly one of only and
// never is set.
type fenceRow struct {
	line    int
	imports []string // import paths, of the standard library or relative to the module
	only    []string // the packages that may
	never   []string // the packages that may not
}

// moduleRow allows a module of other people to the packages named.
type moduleRow struct {
	line   int
	module string
	users  []string // package patterns
	tests  bool     // tests, their helpers and tools may import it
}

// exemptionRow frees a file, or one function in it, from the limits of size.
type exemptionRow struct {
	line     int
	file     string
	function string // empty for the file itself
}

// readDocument reads the four tables of ARCHITECTURE.md, known by their headers.
func readDocument(fsys fs.FS) (*document, error) {
	text, err := fs.ReadFile(fsys, documentName)
	if err != nil {
		return nil, err
	}
	doc := &document{}
	readers := map[string]func(line int, cells []string) error{
		"Layer | Package | Beside | Purpose":   doc.addLayer,
		"Import | Only in | Never in | Reason": doc.addFence,
		"Module | Used by | Reason":            doc.addModule,
		"File | Function | Reason":             doc.addExemption,
	}
	for _, t := range markdownTables(string(text)) {
		header := strings.Join(t.header, " | ")
		add, ok := readers[header]
		if !ok {
			continue
		}
		delete(readers, header)
		for i, cells := range t.rows {
			line := t.line + 2 + i
			if err := add(line, cells); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", documentName, line, err)
			}
		}
	}
	for header := range readers {
		return nil, fmt.Errorf("%s has no table with the header %q", documentName, header)
	}
	return doc, nil
}

func (d *document) addLayer(line int, cells []string) error {
	row := layerRow{line: line, beside: codeSpans(cells[2])}
	switch cells[0] {
	case "test":
		row.layer = layerTest
	case "tool":
		row.layer = layerTool
	default:
		n, err := strconv.Atoi(cells[0])
		if err != nil || n < 0 {
			return fmt.Errorf("layer %q is neither a number nor test nor tool", cells[0])
		}
		row.layer = n
	}
	names := codeSpans(cells[1])
	if len(names) != 1 {
		return fmt.Errorf("column Package names %d packages in backquotes, want one", len(names))
	}
	row.pattern = names[0]
	d.layers = append(d.layers, row)
	return nil
}

func (d *document) addFence(line int, cells []string) error {
	row := fenceRow{line: line, imports: codeSpans(cells[0]), only: codeSpans(cells[1]), never: codeSpans(cells[2])}
	if len(row.imports) == 0 || (len(row.only) == 0) == (len(row.never) == 0) {
		return fmt.Errorf("a fence wants an import and either Only in or Never in, in backquotes")
	}
	d.fences = append(d.fences, row)
	return nil
}

func (d *document) addModule(line int, cells []string) error {
	names := codeSpans(cells[0])
	if len(names) != 1 || strings.TrimSpace(cells[2]) == "" {
		return fmt.Errorf("a dependency wants one module in backquotes and a reason")
	}
	row := moduleRow{line: line, module: names[0], users: codeSpans(cells[1])}
	row.tests = strings.Contains(codeSpan.ReplaceAllString(cells[1], ""), "tests")
	d.modules = append(d.modules, row)
	return nil
}

func (d *document) addExemption(line int, cells []string) error {
	files, functions := codeSpans(cells[0]), codeSpans(cells[1])
	if len(files) != 1 || len(functions) > 1 {
		return fmt.Errorf("an exemption wants one file, and at most one function, in backquotes")
	}
	d.exemptions = append(d.exemptions, exemptionRow{line: line, file: files[0], function: strings.Join(functions, "")})
	return nil
}

// layerOf returns the row of a package: the exact one, else the first pattern.
func (d *document) layerOf(pkg string) (layerRow, bool) {
	var best layerRow
	found := false
	for _, row := range d.layers {
		if row.pattern == pkg {
			return row, true
		}
		if !found && matches(row.pattern, pkg) {
			best, found = row, true
		}
	}
	return best, found
}

// matches reports whether a package or import path fits a pattern: path.Match,
// or a subtree where the pattern ends in "/...".
func matches(pattern, name string) bool {
	if root, ok := strings.CutSuffix(pattern, "/..."); ok {
		return name == root || strings.HasPrefix(name, root+"/")
	}
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}

// matchesAny reports whether one of the patterns fits.
func matchesAny(patterns []string, name string) bool {
	for _, p := range patterns {
		if matches(p, name) {
			return true
		}
	}
	return false
}

var codeSpan = regexp.MustCompile("`([^`]+)`")

// codeSpans returns what stands in backquotes in a cell.
func codeSpans(cell string) []string {
	var spans []string
	for _, m := range codeSpan.FindAllStringSubmatch(cell, -1) {
		spans = append(spans, m[1])
	}
	return spans
}

// markdownTable is a table as GitHub's Markdown writes it. Line is that of the
// header; the rows begin two lines below, after the rule.
type markdownTable struct {
	line   int
	header []string
	rows   [][]string
}

// markdownTables returns the tables of a text. Rows shorter than the header are
// filled with empty cells.
func markdownTables(text string) []markdownTable {
	var tables []markdownTable
	var open *markdownTable
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case !strings.HasPrefix(line, "|"):
			open = nil
		case open == nil:
			tables = append(tables, markdownTable{line: i + 1, header: splitRow(line)})
			open = &tables[len(tables)-1]
		case i+1 > open.line+1:
			cells := splitRow(line)
			for len(cells) < len(open.header) {
				cells = append(cells, "")
			}
			open.rows = append(open.rows, cells)
		}
	}
	return tables
}

// splitRow returns the trimmed cells of one line of a table.
func splitRow(line string) []string {
	cells := strings.Split(strings.Trim(line, "|"), "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}

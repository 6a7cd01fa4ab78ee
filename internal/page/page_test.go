package page

import (
	"bytes"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/valyala/quicktemplate"

	"github.com/rlvet/rlvet/internal/pagetest"
)

func drawn(t *testing.T, p Plot) string {
	t.Helper()
	svg := p.SVG()
	if _, err := pagetest.Elements(strings.NewReader(string(svg))); err != nil {
		t.Fatalf("%v in\n%s", err, svg)
	}
	return string(svg)
}

// TestPlot: a drawing names its axes, takes every colour from the style sheet, and says
// what it shows to those who do not see it.
func TestPlot(t *testing.T) {
	svg := drawn(t, Plot{
		Title: "Ratio", X: "evaluation", Y: "ratio", Alt: `the "ratio" & its <band>, $1`, Low: math.NaN(), High: 3,
		Levels: []Level{{1, "ought to be 1"}},
		Series: []Series{
			{Name: "seed 0", X: []float64{1, 2, 3}, Y: []float64{1, 1.1, 0.9}, From: []float64{0.5, 0.6, 0.4}, To: []float64{2, 2, 2}},
			{Name: "seed 1", Style: 9, X: []float64{1, 2}, Y: []float64{1, math.NaN()}},
		},
	})
	for _, want := range []string{
		`role="img" aria-label="the &#34;ratio&#34; &amp; its &lt;band&gt;, $1"`, ">evaluation<", ">ratio<", ">ought to be 1<", ">3<",
		"var(--line-0)", "var(--line-0);fill-opacity:0.16", "var(--line-2)", "var(--ink)", "var(--grid)",
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in\n%s", want, svg)
		}
	}
	for _, no := range []string{"#0", "http", "width=\"340pt\"", "NaN"} {
		if strings.Contains(svg, no) {
			t.Errorf("%s in\n%s", no, svg)
		}
	}
}

// TestPlotOfLittle: nothing, one point, one number all along, numbers that are none, and
// numbers far apart are drawn too.
func TestPlotOfLittle(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, s := range map[string]Series{
		"nothing": {}, "one point": {X: []float64{1}, Y: []float64{2}}, "one number": {X: []float64{1, 2, 3}, Y: []float64{5, 5, 5}},
		"no number": {X: []float64{1, 2}, Y: []float64{nan, inf}}, "far apart": {X: []float64{1, 2}, Y: []float64{-1e300, 1e300}},
		"tiny": {X: []float64{1, 2}, Y: []float64{1e-300, 2e-300}}, "lengths that differ": {X: []float64{1, 2}, Y: []float64{1}},
	} {
		svg := drawn(t, Plot{X: "x", Y: "y", Series: []Series{s}, Low: nan, High: nan})
		if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Errorf("%s:\n%s", name, svg)
		}
	}
}

// TestNamesOfCrosses: the name of a mark in a corner lies within the drawing.
func TestNamesOfCrosses(t *testing.T) {
	svg := drawn(t, Plot{
		X: "x", Y: "y", Low: math.NaN(), High: math.NaN(), Series: []Series{{X: []float64{0, 9}, Y: []float64{0, 9}}},
		Crosses: []Cross{{X: 0, Y: 9, Name: "left"}, {X: 9, Y: 9, Name: "right"}, {X: 9, Y: 0, Name: "low"}},
	})
	places := regexp.MustCompile(`<text x="([\d.-]+)" y="([\d.-]+)" text-anchor="(start|end)"[^>]*stroke[^>]*>(\w+)<`).FindAllStringSubmatch(svg, -1)
	if len(places) != 3 {
		t.Fatalf("%d names in\n%s", len(places), svg)
	}
	for i, anchor := range []string{start, end, end} {
		if y, err := strconv.ParseFloat(places[i][2], 64); err != nil || y < nameSize || y > plotHeight || places[i][3] != anchor {
			t.Errorf("%s stands at %s, to the %s", places[i][4], places[i][2], places[i][3])
		}
	}
}

// TestLegend: series that look different have different entries.
func TestLegend(t *testing.T) {
	entries := Legend([]Series{{Name: "a"}, {Name: "b", Style: 1}, {Name: "c", Style: 7}, {Name: "d", Style: 1}})
	if len(entries) != 4 || entries[0].Swatch == entries[1].Swatch || entries[0].Swatch == entries[2].Swatch || entries[1].Swatch != entries[3].Swatch || entries[1].Name != "b" {
		t.Errorf("entries are %v", entries)
	}
}

// written is a page whose title and body are one text of somebody's.
type written string

func (w written) StreamTitle(to *quicktemplate.Writer) { to.E().S(string(w)) }
func (w written) StreamBody(to *quicktemplate.Writer) {
	StreamCode(to, []Line{{Row: 1, Before: string(w), Marked: string(w), Behind: string(w), Gap: true}})
	StreamDiff(to, []Line{{Before: string(w)}, {Sign: "+", Before: string(w)}, {Sign: "-", Before: string(w)}})
	StreamFigures(to, []Figure{{Title: string(w), Note: string(w), SVG: Plot{X: string(w), Y: string(w), Alt: string(w)}.SVG()}})
	StreamLegends(to, Legend([]Series{{Name: string(w)}}))
	Heat{Title: string(w), Rows: string(w), Columns: []string{string(w)}, Lines: []HeatLine{{Name: string(w)}}, Note: string(w)}.StreamTable(to)
	StreamSpans(to, string(w))
}
func (w written) Title() string        { return "" }
func (w written) Body() string         { return "" }
func (w written) WriteTitle(io.Writer) {}
func (w written) WriteBody(io.Writer)  {}

// TestPageIsSafe: whatever the text of a program is, it stays text, and nothing is loaded.
func TestPageIsSafe(t *testing.T) {
	const hostile = "</title></script><script>alert(1)</script> `<img src=x onerror=y>` \" onload=\"z ` http://example.com"
	var b bytes.Buffer
	if err := Render(&b, written(hostile)); err != nil {
		t.Fatal(err)
	}
	elements, err := pagetest.Elements(&b)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range elements {
		for name, value := range e.Attributes {
			if e.Name == "script" || e.Name == "img" || strings.HasPrefix(name, "on") || (name == "href" || name == "src") && value != "#main" && value != "data:," {
				t.Errorf("element %s with %s=%q", e.Name, name, value)
			}
		}
	}
}

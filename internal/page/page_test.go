package page

import (
	"bytes"
	"math"
	"strings"
	"testing"

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

// TestLegend: series that look different have different entries.
func TestLegend(t *testing.T) {
	entries := Legend([]Series{{Name: "a"}, {Name: "b", Style: 1}, {Name: "c", Style: 7}, {Name: "d", Style: 1}})
	if len(entries) != 4 || entries[0].Swatch == entries[1].Swatch || entries[0].Swatch == entries[2].Swatch || entries[1].Swatch != entries[3].Swatch || entries[1].Name != "b" {
		t.Errorf("entries are %v", entries)
	}
}

// TestPageIsSafe: whatever the text of a program is, it stays text, and nothing is loaded.
func TestPageIsSafe(t *testing.T) {
	page, err := Parse(`{{define "title"}}{{.}}{{end}}{{define "body"}}<main id="main"><p title="{{.}}">{{spans .}}</p></main>{{end}}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	const hostile = "</title></script><script>alert(1)</script> `<img src=x onerror=y>` \" onload=\"z ` http://example.com"
	var b bytes.Buffer
	if err := Render(&b, page, hostile); err != nil {
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

// TestPageIsWhole: a template that fails writes nothing.
func TestPageIsWhole(t *testing.T) {
	page, err := Parse(`{{define "title"}}t{{end}}{{define "body"}}<p>{{.Missing}}</p>{{end}}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Render(&b, page, struct{}{}); err == nil || b.Len() > 0 {
		t.Errorf("error %v, and %d bytes are written", err, b.Len())
	}
}

package page

import (
	"fmt"
	"strconv"
	"strings"
)

// canvas writes the elements of one SVG. A drawing is shown light, dark and printed, so its
// colours are variables of the style sheet.
type canvas struct{ b strings.Builder }

// point is a place on a canvas, or a pair of numbers to be drawn; on a canvas y grows
// downwards.
type point struct{ x, y float64 }

// stroke is the look of a line.
type stroke struct {
	colour string
	width  float64
	dashes string // lengths of dashes and gaps, "" for none
}

// dotted is the look of a line that says where something ought to be.
var dotted = stroke{colour: "var(--ink)", width: 0.8, dashes: "2 3"}

// dashes tell lines apart without colour.
var dashes = []string{"", "6 2", "2 2", "8 2 2 2", "4 4", "1 2", "10 3"}

func lineColour(style int) string { return fmt.Sprintf("var(--line-%d)", style%len(markers)) }

// newCanvas opens a drawing, with what a screen reader says of it; one without words is
// passed over.
func newCanvas(width, height int, alt string) *canvas {
	c := &canvas{}
	said := `aria-hidden="true"`
	if alt != "" {
		said = `role="img" aria-label="` + escaped(alt) + `"`
	}
	fmt.Fprintf(&c.b, `<svg viewBox="0 0 %d %d" %s><g font-family="Liberation Sans,Arial,Helvetica,sans-serif" fill="none">`+"\n", width, height, said)
	return c
}

// done closes the drawing and returns it.
func (c *canvas) done() HTML {
	c.b.WriteString("</g></svg>")
	return HTML(c.b.String())
}

// path draws a line through some points.
func (c *canvas) path(points []point, s stroke) {
	fmt.Fprintf(&c.b, `<path d="%s" style="stroke:%s;stroke-width:%s`, route(points), s.colour, decimal(s.width))
	if s.dashes != "" {
		c.b.WriteString(";stroke-dasharray:" + s.dashes)
	}
	c.b.WriteString("\"/>\n")
}

// area tints what some points surround.
func (c *canvas) area(outline []point, style int) {
	fmt.Fprintf(&c.b, `<path d="%sZ" style="fill:%s;fill-opacity:0.16"/>`+"\n", route(outline), lineColour(style))
}

// cross draws an x.
func (c *canvas) cross(at point, r float64, s stroke) {
	c.path([]point{{at.x - r, at.y - r}, {at.x + r, at.y + r}}, s)
	c.path([]point{{at.x - r, at.y + r}, {at.x + r, at.y - r}}, s)
}

// Where a text stands to its point.
const (
	start  = "start"
	middle = "middle"
	end    = "end"
)

// text writes on a line that goes through a point.
func (c *canvas) text(text string, at point, size float64, anchor string) {
	fmt.Fprintf(&c.b, `<text x="%s" y="%s" text-anchor="%s" style="fill:var(--ink);font-size:%spx">%s</text>`+"\n",
		decimal(at.x), decimal(at.y), anchor, decimal(size), escaped(text))
}

// name writes within the data: what lies behind a letter stands back from it.
func (c *canvas) name(text string, at point, anchor string) {
	fmt.Fprintf(&c.b, `<text x="%s" y="%s" text-anchor="%s" style="fill:var(--ink);stroke:var(--paper);stroke-width:2;stroke-opacity:0.7;paint-order:stroke;font-size:%spx">%s</text>`+"\n",
		decimal(at.x), decimal(at.y), anchor, decimal(nameSize), escaped(text))
}

// upward writes from below to above, with the middle at a point.
func (c *canvas) upward(text string, at point, size float64) {
	fmt.Fprintf(&c.b, `<text transform="translate(%s %s) rotate(-90)" text-anchor="middle" style="fill:var(--ink);font-size:%spx">%s</text>`+"\n",
		decimal(at.x), decimal(at.y), decimal(size), escaped(text))
}

// markers tell points apart without colour. Each is a path around (0, 0), of radius 1, and is
// filled or not.
var markers = []struct {
	d      string
	filled bool
}{
	{"M1 0A1 1 0 1 1 -1 0A1 1 0 1 1 1 0Z", true}, // a disc
	{"M-.85 -.85H.85V.85H-.85Z", false},          // a square
	{"M0 -1.25L1.08 .62H-1.08Z", false},          // a triangle
	{"M-.8 -.8L.8 .8M-.8 .8L.8 -.8", false},      // a cross
	{"M1 0A1 1 0 1 1 -1 0A1 1 0 1 1 1 0Z", false},
	{"M0 -1V1M-1 0H1", false}, // a plus
	{"M-.85 -.85H.85V.85H-.85Z", true},
}

// marker draws the marker of a style. Those that share a colour differ.
func (c *canvas) marker(at point, style int, r float64) {
	m := markers[(style+style/len(markers))%len(markers)]
	look := "fill:" + lineColour(style)
	if !m.filled {
		look = "stroke:" + lineColour(style) + ";stroke-width:" + decimal(0.8/r)
	}
	fmt.Fprintf(&c.b, `<path transform="translate(%s %s) scale(%s)" d="%s" style="%s"/>`+"\n", decimal(at.x), decimal(at.y), decimal(r), m.d, look)
}

// route is a path through points.
func route(points []point) string {
	var b strings.Builder
	for i, p := range points {
		b.WriteByte("ML"[min(i, 1)])
		b.WriteString(decimal(p.x) + " " + decimal(p.y))
	}
	return b.String()
}

// decimal writes a number of points as exactly as can be seen.
func decimal(v float64) string {
	text := strconv.FormatFloat(v, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// Entry is a line of a legend.
type Entry struct {
	Swatch HTML
	Name   string
}

// Legend explains the looks of some series, in their order.
func Legend(series []Series) (out []Entry) {
	for _, s := range series {
		c := newCanvas(34, 12, "")
		if !s.Loose {
			c.path([]point{{0, 6}, {34, 6}}, s.stroke())
		}
		if !s.Bare {
			c.marker(point{17, 6}, s.Style, radius(0))
		}
		out = append(out, Entry{c.done(), s.Name})
	}
	return out
}

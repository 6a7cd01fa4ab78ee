package page

import (
	"bytes"
	"fmt"
	"html/template"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// # Colours by style sheet
//
// A drawing is rendered once and shown light, dark and printed. So it is drawn in colours
// that stand for names (#0102NN, #0103NN for a band), and each is replaced by a variable
// that the style sheet sets for each theme.
var placeholder = regexp.MustCompile(`#010([23])([0-9A-F]{2})`)

// head is all that stands before the drawing proper: a prolog, which pages do not have,
// and a size in points, which the style sheet gives.
var head = regexp.MustCompile(`(?s)^.*?<svg[^>]*viewBox="([^"]*)"[^>]*>`)

// families are the fonts that gonum measured with, and others as wide.
var families = regexp.MustCompile(`font-family:[^;"]*;`)

// themed returns the drawing as a part of a page.
func themed(canvas *vgsvg.Canvas, alt string) (template.HTML, error) {
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return "", err
	}
	text := head.ReplaceAllString(b.String(), "<svg viewBox=\"$1\" "+label(alt)+">")
	text = families.ReplaceAllString(text, "font-family:Liberation Sans,Arial,Helvetica,sans-serif;")
	text = placeholder.ReplaceAllStringFunc(text, variable)
	return template.HTML(strings.TrimSpace(text)), nil
}

// label is what a screen reader says of a drawing; one without words is passed over.
func label(alt string) string {
	if alt == "" {
		return `aria-hidden="true"`
	}
	return `role="img" aria-label="` + strings.ReplaceAll(template.HTMLEscapeString(alt), "$", "$$") + `"`
}

func variable(colour string) string {
	number, err := strconv.ParseUint(colour[len("#0102"):], 16, 8)
	switch {
	case err != nil:
		return colour
	case uint8(number) == ink.B:
		return "var(--ink)"
	case uint8(number) == faint.B:
		return "var(--grid)"
	case strings.HasPrefix(colour, "#0103"):
		return fmt.Sprintf("var(--line-%d);fill-opacity:0.16", number)
	}
	return fmt.Sprintf("var(--line-%d)", number)
}

// Entry is a line of a legend.
type Entry struct {
	Swatch template.HTML
	Name   string
}

// Legend explains the looks of some series, in their order.
func Legend(series []Series) ([]Entry, error) {
	var out []Entry
	for _, s := range series {
		line, marks, err := s.lineAndMarks(plotter.XYs{{}})
		if err != nil {
			return nil, err
		}
		marks.GlyphStyle.Radius = radius(0)
		canvas := vgsvg.New(34, 12)
		on := draw.New(canvas)
		if !s.Loose {
			line.Thumbnail(&on)
		}
		if !s.Bare {
			marks.Thumbnail(&on)
		}
		swatch, err := themed(canvas, "")
		if err != nil {
			return nil, err
		}
		out = append(out, Entry{swatch, s.Name})
	}
	return out, nil
}

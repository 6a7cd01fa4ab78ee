package postmortem

import (
	"io"

	"github.com/rlvet/rlvet/internal/page"
)

//go:generate go run github.com/valyala/quicktemplate/qtc -skipLineComments -ext=qtpl

// writeHTML writes the document as a page that needs nothing else.
func (d *document) writeHTML(to io.Writer) error { return page.Render(to, d) }

// class is the look of the cells of a column.
func (t *table) class(column int) string {
	if column < len(t.Numbers) && t.Numbers[column] {
		return "number"
	}
	return ""
}

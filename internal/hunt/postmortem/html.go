package postmortem

import (
	_ "embed"
	"html/template"
	"io"

	"github.com/rlvet/rlvet/internal/page"
)

//go:embed postmortem.html
var pageHTML string

// writeHTML writes the document as a page that needs nothing else.
func (d *document) writeHTML(to io.Writer) error {
	t, err := page.Parse(pageHTML, template.FuncMap{"cell": func(t *table, i int) string {
		if i < len(t.Numbers) && t.Numbers[i] {
			return "number"
		}
		return ""
	}})
	if err != nil {
		return err
	}
	return page.Render(to, t, d)
}

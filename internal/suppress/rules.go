package suppress

import (
	"embed"

	"github.com/rlvet/rlvet/internal/rule"
)

//go:embed *.md
var pages embed.FS

// Rules returns the rules about suppression comments. They have no analyzer:
// Apply reports them.
func Rules() []rule.Entry {
	files, err := pages.ReadDir(".")
	if err != nil {
		panic(err) // the pages are part of the program
	}
	var out []rule.Entry
	for _, f := range files {
		data, err := pages.ReadFile(f.Name())
		if err != nil {
			panic(err)
		}
		doc, err := rule.Parse("internal/suppress/"+f.Name(), data)
		if err != nil {
			panic(err)
		}
		out = append(out, rule.Entry{Doc: doc})
	}
	return out
}

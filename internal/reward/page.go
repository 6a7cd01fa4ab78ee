package reward

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/rlvet/rlvet/internal/page"
	"github.com/rlvet/rlvet/internal/words"
)

//go:generate go run github.com/valyala/quicktemplate/qtc -skipLineComments -ext=qtpl

// WritePage writes the result as one page of HTML that needs nothing else.
func WritePage(w io.Writer, r *Result) error {
	v := &pageView{Result: r, Working: r.working()}
	v.Facts = [][2]string{
		{"Called as by", r.called()}, {"Prompts", strconv.Itoa(r.Prompts) + map[bool]string{true: " built-in sums", false: " of " + r.Data}[r.Data == ""]},
		{"Form of the right answer", strconv.Quote(r.Form.Template)},
		{"Right answer, wrong answer", short3(r.Form.Right) + ", " + short3(r.Form.Wrong)},
		{"Time a call", fmt.Sprintf("median %s, most %s", duration(r.Time.Median), duration(r.Time.Most))},
		{"All completions score alike", percent(r.Groups.Alike, r.Groups.Prompts) + " of the prompts"},
		{"Isolation", r.Isolation.Means()},
	}
	v.plot()
	return page.Render(w, v)
}

// pageView is what the template shows.
type pageView struct {
	*Result
	Working []Trick
	Facts   [][2]string
	Figures []page.Figure
	Legend  []page.Entry
}

// plot draws the reward by length: all completions, and the means of those that differ in
// length alone.
func (v *pageView) plot() {
	scattered := page.Plot{Title: "Reward by length, all completions", X: "log10 of the characters", Y: "reward", Numbers: true, Low: math.NaN(), High: math.NaN()}
	scattered.Alt = "The reward of each completion over its length."
	for style, of := range []string{"right", "wrong", "trick"} {
		s := page.Series{Name: map[string]string{"right": "right answers", "wrong": "wrong answers", "trick": "tricks"}[of], Style: style, Loose: true}
		for _, p := range v.Points {
			if p.Of == of {
				s.X, s.Y = append(s.X, math.Log10(1+float64(p.Characters))), append(s.Y, p.Reward)
			}
		}
		if len(s.X) > 0 {
			scattered.Series = append(scattered.Series, s)
		}
	}
	means := page.Plot{Title: "Mean reward by words of filler", X: "log10 of the words, and one", Y: "reward", Numbers: true, Low: math.NaN(), High: math.NaN()}
	means.Alt = "The mean reward of right and wrong answers by the words of filler before them."
	for _, e := range v.Effects {
		if e.ID != "length" {
			continue
		}
		s := page.Series{Name: e.Of + " answers", Style: map[string]int{"right": 0, "wrong": 1}[e.Of]}
		for i, reward := range e.Rewards {
			s.X, s.Y = append(s.X, math.Log10(1+e.Levels[i])), append(s.Y, value(reward))
		}
		means.Series = append(means.Series, s)
	}
	for _, p := range []page.Plot{scattered, means} {
		if len(p.Series) > 0 {
			v.Figures = append(v.Figures, page.Figure{Title: p.Title, SVG: p.SVG()})
		}
	}
	v.Legend = page.Legend(scattered.Series)
}

// mostShown bounds a completion on the page.
const mostShown = 700

// shownText is a completion as a page can show it: what is invisible is written as its number.
func shownText(text string) string {
	letters := []rune(text)
	left := ""
	if len(letters) > mostShown {
		left = fmt.Sprintf("\n… %d more characters", len(letters)-mostShown)
		letters = letters[:mostShown]
	}
	if len(letters) == 0 {
		return "(empty)"
	}
	return words.Visible(string(letters)) + left
}

// exampleLine is a call that breaks the contract, in a line.
func exampleLine(e Example) string {
	at := ""
	if e.Row > 0 {
		at = fmt.Sprintf(" (%s:%d)", e.File, e.Row)
	}
	what := e.What
	if e.Completion != "" || !strings.HasPrefix(e.What, "a batch") {
		what += ", " + brief(e.Completion, 80)
	}
	return words.Plain(e.Says) + at + ": " + what
}

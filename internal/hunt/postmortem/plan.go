package postmortem

import (
	"fmt"
	"strings"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/hunt"
	"github.com/rlvet/rlvet/internal/words"
)

// enough is how many clean seeds exclude a failure of more than 5 % of them.
const enough = 59

// plan is what will see it the next time, and who does what.
func (w *writer) plan() {
	if !w.r.Found() {
		w.longer()
		return
	}
	t := &table{Columns: []string{"What", "How", "What it sees"}}
	if path := w.r.Files["test"]; path != "" {
		t.Rows = append(t.Rows, []string{"This failure's own test", quoted("python -m pytest " + w.r.Shown(path)), testSays(w.r)})
	} else {
		t.Rows = append(t.Rows, []string{"This failure's own test", quoted(w.r.Environment.Command + " --emit-test tests"), "writes a pytest test that replays the recorded inputs on the CPU in seconds; not written yet"})
	}
	t.Rows = append(t.Rows, []string{"`rlvet check`, in the workflow and as a hook", quoted("rlvet init"), checkSays(w.r)})
	t.Rows = append(t.Rows, []string{"A longer hunt, now and then", quoted(fmt.Sprintf("%s --until-nan %d", bare(w.r), enough)), fmt.Sprintf("if all %d seeds are clean, at most %s of seeds fail (95 %% confidence)", enough, words.Percent(harness.Bound(enough)))})
	w.add(block{Table: t})
	w.person("who does each of these, by when, and how completion is checked.")
}

// longer is how to look on where nothing was found.
func (w *writer) longer() {
	w.say("What was watched: losses, gradients, parameters and the optimizer's state in each step, rewards and observations of the environment. To show that at most %s of seeds fail, %s must be clean: %s.",
		words.Percent(harness.Bound(enough)), words.Count(enough, "seed"), quoted(fmt.Sprintf("%s --until-nan %d", bare(w.r), enough)))
}

// testSays is what is proved of the test.
func testSays(r *hunt.Result) string {
	if r.Test == nil {
		return "replays what was recorded when training failed"
	}
	return words.Plain(r.Test.Reason)
}

func checkSays(r *hunt.Result) string {
	if len(r.Findings) == 0 {
		return "other mistakes of this kind before they run, but not this one"
	}
	return fmt.Sprintf("this mistake as `%s %s`, and others of its kind, before they run", r.Findings[0].Code, r.Findings[0].Name)
}

// bare is the command line with the program alone.
func bare(r *hunt.Result) string {
	words := []string{"rlvet hunt", r.Shown(r.Script)}
	if r.Module != "" {
		words[1] = "-m " + r.Module
	}
	if len(r.Args) > 0 {
		return strings.Join(append(words, "-- "+strings.Join(r.Args, " ")), " ")
	}
	return strings.Join(words, " ")
}

package read

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// # Runs beside each other
//
// Of a folder with several runs the newest is read. Which folders are the others' shows only
// when the logs were compared, and by then their completions, settings and checkpoints are
// among those of the first: so all is read once more without these folders.

// another is the log of another run than that of the log which is used.
type another struct {
	used   *log
	path   string
	reason string
}

// aside is a folder that is left out, since all in it is of another run.
type aside struct{ folder, used, reason string }

// partFolders are names of folders in which one run keeps its parts, each with what one
// writer logs: these are no runs beside each other.
var partFolders = []string{
	"log", "logs", "logging", "tb", "tensorboard", "events", "wandb", "csv", "json", "jsonl", "metrics", "stats", "history", "progress", "monitor", "monitors",
	"train", "training", "trainer", "rollout", "rollouts", "samples", "completions", "generations", "checkpoints", "models", "output", "outputs", "results", "plots",
	"console", "stdout", "actor", "critic", "policy", "reward", "learner",
}

// ofPart reports whether a folder's name is that of a part of a run.
func ofPart(folder string) bool {
	name := strings.ToLower(path.Base(folder))
	return slices.Contains(partFolders, name) || slices.Contains(evaluationWords, name) || checkpointFolder.MatchString(name)
}

// ofTwoRuns reports whether two logs of different formats, or without a name in common, are of two runs: each
// has a folder of its own, and they tell different things under the same names, or are of two trainers, or of
// a reward each.
// Values that two writers of one run rounded, or took the mean of, differ too: so most have to
// differ by more than that, in more than one metric.
func ofTwoRuns(k, l *log, pairs []pair) bool {
	one, two := ownFolder(k.Path, l.Path), ownFolder(l.Path, k.Path)
	if one == "" || two == "" || ofPart(one) || ofPart(two) || ofEpisodes(k.Format) || ofEpisodes(l.Format) {
		return false
	}
	if len(pairs) == 0 {
		a, b := k.trainer().Candidates(), l.trainer().Candidates()
		trainers := len(a) > 0 && len(b) > 0 && !slices.ContainsFunc(a, func(name string) bool { return slices.Contains(b, name) })
		return trainers && k.judged() > 0 && l.judged() > 0 || k.rewarded() && l.rewarded()
	}
	differing := 0
	for _, p := range pairs {
		switch {
		case constant(p):
		case p.same > p.diff:
			return false
		case 2*p.far > p.same+p.diff:
			differing++
		}
	}
	return differing > 1
}

// rewarded reports whether a log has the reward that training maximises.
func (l *log) rewarded() bool {
	trainer := l.trainer()
	return slices.ContainsFunc(l.all(), func(t *track) bool {
		m, _ := trainer.Meaning(t.Name)
		return m.Quantity == record.Reward && !m.Evaluation
	})
}

// foldersApart returns the folders of the other runs that no log which is used lies in.
func (c *collector) foldersApart() []aside {
	var out []aside
	var used []string
	for _, o := range c.others {
		folder := ownFolder(o.used.Path, o.path)
		if folder == "" || slices.ContainsFunc(out, func(a aside) bool { return under(folder, a.folder) }) ||
			slices.ContainsFunc(append(used, o.used.paths()...), func(p string) bool { return under(p, folder) }) {
			continue
		}
		used = append(used, o.used.paths()...)
		out = withFolders(out, []aside{{folder, o.used.Path, o.reason}})
	}
	return out
}

// withFolders adds folders that are left out, too; what they hold is no longer used.
func withFolders(asides, more []aside) []aside {
	for _, m := range more {
		asides = slices.DeleteFunc(asides, func(a aside) bool { return under(a.folder, m.folder) })
		for i, a := range asides {
			if under(a.used, m.folder) {
				asides[i].used = m.used
			}
		}
		asides = append(asides, m)
	}
	return asides
}

// paths are the files that the log comes from.
func (l *log) paths() []string {
	all := []string{l.Path}
	for _, s := range l.others {
		all = append(all, s.Path)
	}
	return all
}

// ownFolder is the topmost folder that holds the other file and not the used one; "" for none.
func ownFolder(used, other string) string {
	folder := ""
	for dir := path.Dir(other); dir != "." && !under(used, dir); dir = path.Dir(dir) {
		folder = dir
	}
	return folder
}

// under reports whether a path is a folder, or in it.
func under(p, folder string) bool { return p == folder || strings.HasPrefix(p, folder+"/") }

// noteOthers says which runs the folder holds besides the one that is used.
func (c *collector) noteOthers() {
	for _, a := range c.asides {
		c.unused(a.folder, a.reason)
		c.run.Others = append(c.run.Others, record.Other{Path: a.folder, Folder: true, Used: cmp.Or(ownFolder(a.folder+"/log", a.used), a.used)})
	}
	for _, o := range c.others {
		c.run.Others = append(c.run.Others, record.Other{Path: o.path, Used: o.used.Path})
	}
	slices.SortFunc(c.run.Others, func(a, b record.Other) int { return cmp.Compare(a.Path, b.Path) })
}

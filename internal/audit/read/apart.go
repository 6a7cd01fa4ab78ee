package read

import (
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
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
	left, older := map[string][]string{}, map[string][]string{}
	for _, a := range c.asides {
		c.unused(a.folder, a.reason)
		left[a.used] = append(left[a.used], a.folder)
	}
	for _, o := range c.others {
		older[o.used.Path] = append(older[o.used.Path], o.path)
	}
	for _, used := range slices.Sorted(maps.Keys(left)) {
		folders := slices.Sorted(slices.Values(left[used]))
		command := "rlvet audit " + filepath.Join(c.given, filepath.FromSlash(folders[0]))
		if len(folders) == 1 {
			c.note("the folder holds two runs: %s is used; %s is older, and left out with all that is in it: %s", used, folders[0], command)
		} else {
			c.note("the folder holds %d runs: %s is used; %s are older, and left out with all that is in them: give the folder of one run, as in %s", len(folders)+1, used, list(folders), command)
		}
	}
	for _, used := range slices.Sorted(maps.Keys(older)) {
		be := "is older than " + used + ", and of another run"
		if len(older[used]) > 1 {
			be = "are older than " + used + ", and of other runs"
		}
		c.note("%s %s: what else is in the folder may be of any of them; give each run a folder", list(older[used]), be)
	}
}

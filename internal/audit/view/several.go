package view

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/audit"
	"github.com/rlvet/rlvet/internal/paths"
	"github.com/rlvet/rlvet/internal/words"
)

// several says of a folder that holds several runs which one the result is about, and by which
// commands each is audited; "" of a folder with one run.
func several(r *audit.Result) (says string, commands []string) {
	if len(r.OtherRuns) == 0 {
		return "", nil
	}
	var used, folders, files []string
	for _, o := range r.OtherRuns {
		if !slices.Contains(used, o.Used) {
			used = append(used, o.Used)
		}
		if o.Folder {
			folders = append(folders, o.Path)
		} else {
			files = append(files, o.Path)
		}
	}
	used = innermost(used)
	says = fmt.Sprintf("this folder holds %s; only %s, the newest, is judged here, and nothing of %s is mixed in",
		words.Count(len(folders)+len(files)+1, "run"), plain(words.And(used)), plain(words.And(first(append(slices.Clone(folders), files...), 4))))
	if len(files) > 0 {
		return says + ", but what else lies beside them may be of any of them; give each run a folder of its own", commands
	}
	for _, folder := range slices.Sorted(slices.Values(append(folders, used...))) {
		if at := filepath.Join(r.Run, filepath.FromSlash(folder)); paths.IsFolder(at) {
			commands = append(commands, "rlvet audit "+words.Typed(paths.Short(at)))
		}
	}
	return says + "; to audit each run by itself:", commands
}

// innermost leaves out what holds another one of the list.
func innermost(list []string) (out []string) {
	for _, a := range list {
		if !slices.ContainsFunc(list, func(b string) bool { return strings.HasPrefix(b, a+"/") }) {
			out = append(out, a)
		}
	}
	return out
}

// first shortens a list.
func first(list []string, most int) []string {
	if len(list) > most+1 {
		return append(slices.Clone(list[:most]), fmt.Sprintf("%d more", len(list)-most))
	}
	return list
}

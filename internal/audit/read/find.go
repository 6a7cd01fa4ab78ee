package read

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/source"
)

// Bounds of the walk.
const (
	maxEntries = 200_000
	maxDepth   = 12
)

// skipFolders hold what no trainer wrote.
var skipFolders = []string{"node_modules", "__pycache__", "site-packages", "dist-packages", "venv", "env", "cache"}

// notLogs are files that stand beside weights, or are no logs by their name.
var notLogs = []string{
	"tokenizer.json", "tokenizer_config.json", "vocab.json", "merges.txt", "special_tokens_map.json", "added_tokens.json",
	"generation_config.json", "preprocessor_config.json", "chat_template.json", "model.safetensors.index.json",
	"pytorch_model.bin.index.json", "wandb-metadata.json", "package.json", "package-lock.json", "requirements.txt", "license.txt", "readme.txt",
}

// endings are those of files that may be logs; the others are never opened.
var endings = []string{".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".log", ".txt", ".out", ".err", ".yaml", ".yml", ".parquet", ".wandb"}

// walk is a walk through the run's folder.
type walk struct {
	root    string
	entries int
	files   []candidate
	folders []string // relative, with slashes
	// archives are models of Stable-Baselines3; they are not opened.
	archives []string
	pickles  []string
	// links are not followed, and folders too deep are not entered.
	links, deep []string
	// asides are not entered: what is in them is of another run.
	asides []aside
	notes  []string
}

// find lists the files that may be logs, and the folders, in the order of their paths.
func find(ctx context.Context, root string, asides []aside) (*walk, error) {
	w := &walk{root: root, asides: asides}
	if err := w.enter(ctx, ".", 0); err != nil {
		return nil, err
	}
	if len(w.deep) > 0 {
		w.notes = append(w.notes, fmt.Sprintf("folders deeper than %d were not looked into, such as %s; give the folder of one run", maxDepth, w.deep[0]))
	}
	if w.entries > maxEntries {
		w.notes = append(w.notes, fmt.Sprintf("the folder has more than %d entries: the rest was not looked at; give the folder of one run", maxEntries))
	}
	return w, nil
}

// enter lists one folder.
func (w *walk) enter(ctx context.Context, rel string, depth int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Join(w.root, filepath.FromSlash(rel)))
	if err != nil && depth == 0 {
		return fmt.Errorf("%s cannot be listed: %w", w.root, source.Cause(err))
	} else if err != nil {
		w.notes = append(w.notes, fmt.Sprintf("%s cannot be listed: %v", rel, source.Cause(err)))
	}
	for _, e := range entries {
		if w.entries++; w.entries > maxEntries {
			return nil
		}
		name := path.Join(rel, e.Name())
		switch {
		case e.Type()&os.ModeSymlink != 0:
			w.links = append(w.links, name)
		case e.IsDir() && slices.ContainsFunc(w.asides, func(a aside) bool { return a.folder == name }):
		case e.IsDir() && depth == maxDepth && !skipped(e.Name()):
			w.deep = append(w.deep, name)
		case e.IsDir() && depth < maxDepth && !skipped(e.Name()):
			w.folders = append(w.folders, name)
			if err := w.enter(ctx, name, depth+1); err != nil {
				return err
			}
		case e.Type().IsRegular() && mayBeLog(e.Name()):
			w.take(name, e)
		case e.Type().IsRegular() && path.Ext(name) == ".zip":
			w.archives = append(w.archives, name)
		case e.Name() == "training_args.bin":
			w.pickles = append(w.pickles, name)
		}
	}
	return nil
}

// take adds a file.
func (w *walk) take(rel string, e os.DirEntry) {
	info, err := e.Info()
	if err != nil {
		return // it went away meanwhile
	}
	w.files = append(w.files, candidate{
		path: filepath.Join(w.root, filepath.FromSlash(rel)), rel: rel, size: info.Size(), mod: info.ModTime(),
	})
}

// skipped reports whether a folder holds nothing that a trainer logged. Hydra's settings are
// in a hidden one.
func skipped(name string) bool {
	return strings.HasPrefix(name, ".") && name != ".hydra" || slices.Contains(skipFolders, name) || strings.HasSuffix(name, ".egg-info")
}

// mayBeLog reports whether a file is one to look into.
func mayBeLog(name string) bool {
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	if strings.HasPrefix(name, ".") || slices.Contains(notLogs, name) {
		return false
	}
	return strings.Contains(name, ".tfevents.") || evaluationsName(name) || slices.Contains(endings, path.Ext(name))
}

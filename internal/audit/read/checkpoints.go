package read

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// checkpointFolder are the names that trainers give to the folders of saved weights.
var checkpointFolder = regexp.MustCompile(`^(?:checkpoint|global_step|ckpt|step|iter|model)[-_]?(\d{1,15})(?:_hf|_actor)?$`)

// checkpointFile is a model of Stable-Baselines3, such as rl_model_10000_steps.zip.
var checkpointFile = regexp.MustCompile(`_(\d{1,15})_steps\.zip$`)

// weights are endings of files that hold them.
var weights = []string{".safetensors", ".bin", ".pt", ".pth", ".ckpt", ".zip", ".distcp", ".msgpack"}

// checkpoints lists the folders of weights. Those within another one are its parts.
func (c *collector) checkpoints(w *walk) {
	for _, dir := range w.folders {
		m := checkpointFolder.FindStringSubmatch(path.Base(dir))
		if m == nil || c.within(dir) || !strings.HasPrefix(path.Base(dir), "checkpoint") && !strings.HasPrefix(path.Base(dir), "global_step") && !c.hasWeights(dir) {
			continue
		}
		c.checkpoint(dir, m[1])
	}
	for _, file := range w.archives {
		if m := checkpointFile.FindStringSubmatch(path.Base(file)); m != nil {
			c.checkpoint(file, m[1])
		}
	}
	slices.SortStableFunc(c.run.Checkpoints, func(a, b record.Checkpoint) int { return cmp.Compare(a.Step, b.Step) })
	c.run.Checkpoints = c.newestOf(c.run.Checkpoints)
}

func (c *collector) checkpoint(at, digits string) {
	step, _ := strconv.ParseInt(digits, 10, 64)
	c.run.Checkpoints = append(c.run.Checkpoints, record.Checkpoint{Step: step, Path: at})
}

// within reports whether a folder is in one that is a checkpoint already.
func (c *collector) within(dir string) bool {
	return slices.ContainsFunc(c.run.Checkpoints, func(k record.Checkpoint) bool { return strings.HasPrefix(dir, k.Path+"/") })
}

// hasWeights reports whether a folder holds a file of weights.
func (c *collector) hasWeights(dir string) bool {
	entries, err := os.ReadDir(filepath.Join(c.run.Dir, filepath.FromSlash(dir)))
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return slices.Contains(weights, path.Ext(e.Name())) })
}

// newestOf keeps one checkpoint a step, the one that was written last, and says so.
func (c *collector) newestOf(all []record.Checkpoint) []record.Checkpoint {
	var kept []record.Checkpoint
	for _, k := range all {
		last := len(kept) - 1
		if last < 0 || kept[last].Step != k.Step {
			kept = append(kept, k)
			continue
		}
		old := kept[last]
		if c.age(old.Path) < c.age(k.Path) {
			kept[last], k = k, old
		}
		c.unused(k.Path, "is a second checkpoint of step "+strconv.FormatInt(k.Step, 10)+"; the newer one is "+kept[last].Path)
	}
	return kept
}

// age returns when an entry was changed, in nanoseconds.
func (c *collector) age(rel string) int64 {
	info, err := os.Stat(filepath.Join(c.run.Dir, filepath.FromSlash(rel)))
	if err != nil {
		return 0
	}
	return info.ModTime().UnixNano()
}

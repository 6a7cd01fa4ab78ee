package read

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path"
	"slices"
	"strings"
)

// # Evaluations
//
// The EvalCallback of Stable-Baselines3 writes evaluations.npz: the steps at which the policy
// was evaluated, and of each the return and the length of every episode.

// evaluationArrays are those of the file, by episode.
var evaluationArrays = []string{"results", "ep_lengths", "successes"}

// isEvaluations reports whether it is the file of an EvalCallback.
func isEvaluations(f candidate) bool {
	return evaluationsName(f.name()) && bytes.HasPrefix(f.raw, []byte("PK"))
}

func evaluationsName(name string) bool {
	return strings.HasPrefix(name, "evaluations") && path.Ext(name) == ".npz"
}

// readEvaluations reads the mean over the episodes of each evaluation.
func readEvaluations(_ context.Context, c *collector, f candidate) error {
	file, err := os.Open(f.path)
	if err != nil {
		return errors.New(trouble(err))
	}
	defer file.Close()
	archive, err := zip.NewReader(io.NewSectionReader(file, 0, f.size), f.size)
	if err != nil {
		return errors.New("is damaged, or cut: it is no archive of NumPy; copy it anew")
	}
	arrays := map[string]numpyArray{}
	l := c.newLog(f, "evaluations")
	for _, member := range archive.File {
		name := strings.TrimSuffix(member.Name, ".npy")
		if name != "timesteps" && !slices.Contains(evaluationArrays, name) {
			continue
		}
		a, err := readNumpy(member)
		if err != nil {
			l.note("%s in it %s", member.Name, numpyTrouble(err))
			continue
		}
		arrays[name] = a
	}
	l.putEvaluations(arrays)
	return c.keep(l)
}

func (l *log) putEvaluations(arrays map[string]numpyArray) {
	steps := arrays["timesteps"]
	for i, step := range steps.values {
		l.put("total_timesteps", step)
		for _, name := range evaluationArrays {
			if n, width := arrays[name].rows(); n == len(steps.values) && width > 0 {
				l.put(name, meanOf(arrays[name].values[i*width:(i+1)*width]))
			}
		}
		l.end()
	}
}

func meanOf(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v / float64(len(values))
	}
	return sum
}

func numpyTrouble(err error) string {
	if errors.Is(err, zip.ErrChecksum) || errors.Is(err, zip.ErrAlgorithm) || errors.Is(err, zip.ErrFormat) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return "is damaged, or cut"
	}
	return err.Error()
}

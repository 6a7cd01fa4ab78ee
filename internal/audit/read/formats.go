package read

import (
	"bytes"
	"context"
	"io"
	"path"
	"strings"
)

// format reads one kind of file.
type format struct {
	name string
	// claims tells by its name and its first bytes whether a file is of this kind.
	claims func(candidate) bool
	// read hands what the file holds to the collector. An error is one line without the
	// file's name: nothing could be read of it.
	read func(context.Context, *collector, candidate) error
}

// formats are asked in this order. It is filled here rather than where it is declared, since
// readers look into it.
var formats []format

func init() {
	formats = []format{
		{"tensorboard", isEvents, readEvents},
		{"wandb", isWandb, readWandb},
		{"wandb summary", isSummary, readSummary},
		{"parquet", isParquet, readParquet},
		{"trainer_state", isTrainerState, addState},
		{"monitor", isMonitor, addMonitor},
		{"evaluations", isEvaluations, readEvaluations},
		{"csv", isTable, readTable},
		{"settings", isConfig, readConfig},
		{"json", isArray, readArray},
		{"json", isHistory, readHistory},
		{"jsonl", isJSONLines, readJSONLines},
		{"console", isConsole, readConsole},
	}
}

// isJSONLines reports whether each line is an object of its own.
func isJSONLines(f candidate) bool {
	first, _, more := bytes.Cut(bytes.TrimLeft(f.head, " \t\r\n"), []byte("\n"))
	if !bytes.HasPrefix(first, []byte("{")) {
		return false
	}
	switch path.Ext(f.name()) {
	case ".jsonl", ".ndjson":
		return true
	case ".json", ".log", ".txt":
		if !more && len(f.raw) == headSize {
			return f.linesOfObjects()
		}
		_, ok := parseObject(bytes.TrimSpace(first))
		return ok && (more || path.Ext(f.name()) != ".json")
	}
	return false
}

// maxFirstLine is how far the end of a first line is looked for.
const maxFirstLine = 4 << 20

// linesOfObjects reports whether a first line that is longer than the head is an object, and
// another one follows: RLlib's lines are of tens of thousands of bytes.
func (f candidate) linesOfObjects() bool {
	r, err := f.text()
	if err != nil {
		return false
	}
	defer r.Close()
	in := newLines(io.LimitReader(r, maxFirstLine))
	if !in.next() || !in.whole {
		return false
	}
	_, ok := parseObject(bytes.TrimSpace(in.line))
	return ok && in.next() && bytes.HasPrefix(bytes.TrimSpace(in.line), []byte("{"))
}

// isTrainerState reports whether it is what transformers' Trainer saves.
func isTrainerState(f candidate) bool {
	return strings.HasSuffix(f.name(), ".json") && bytes.Contains(f.head, []byte(`"log_history"`)) ||
		f.name() == "trainer_state.json"
}

package harness

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// killMarked ends every process that carries the mark of a run, wherever it went: a
// program can leave its group. It looks until there is none, since one can start
// another meanwhile.
func killMarked(token string) {
	for range 20 {
		found := marked(mark + "=" + token + "\x00")
		if len(found) == 0 {
			return
		}
		for _, pid := range found {
			syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// askToEnd sends SIGTERM to the processes of a run, those included that left its group.
// Bubblewrap is spared: it would end at once, and all in it without a word.
func askToEnd(_ int, token string) {
	for _, pid := range marked(mark + "=" + token + "\x00") {
		name, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "comm"))
		if err == nil && string(name) != "bwrap\n" {
			syscall.Kill(pid, syscall.SIGTERM)
		}
	}
}

// marked lists the processes whose environment holds a text.
func marked(text string) []int {
	var out []int
	eachProcess(func(pid int) {
		env, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
		if err == nil && pid != os.Getpid() && bytes.Contains(env, []byte(text)) {
			out = append(out, pid)
		}
	})
	return out
}

// groupMemory is the resident memory of a process group in bytes.
func groupMemory(group int) int64 {
	var pages int64
	eachProcess(func(pid int) {
		stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		if err != nil {
			return
		}
		// The name in parentheses may hold anything; the fields come after the last one.
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if len(fields) < 22 || fields[2] != strconv.Itoa(group) {
			return
		}
		rss, _ := strconv.ParseInt(fields[21], 10, 64)
		pages += rss
	})
	return pages * int64(os.Getpagesize())
}

func eachProcess(yield func(pid int)) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return
	}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			yield(pid)
		}
	}
}

//go:build !linux

package harness

import "syscall"

// askToEnd sends SIGTERM to the group of a run.
func askToEnd(group int, token string) { signalGroup(group, syscall.SIGTERM) }

// killMarked has no way to find the processes of a run here; their group is killed.
func killMarked(token string) {}

// marked lists no process.
func marked(text string) []int { return nil }

// groupMemory is not known here.
func groupMemory(group int) int64 { return 0 }

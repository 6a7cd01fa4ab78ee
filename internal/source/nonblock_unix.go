//go:build unix

package source

import "syscall"

// openWithoutWaiting makes opening a FIFO return at once.
const openWithoutWaiting = syscall.O_NONBLOCK | syscall.O_NOCTTY

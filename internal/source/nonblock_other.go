//go:build !unix

package source

// openWithoutWaiting is empty where there are no FIFOs in the file system.
const openWithoutWaiting = 0

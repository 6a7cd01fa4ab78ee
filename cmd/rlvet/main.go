// Command rlvet vets reinforcement-learning training code. See `rlvet help`.
package main

import (
	"os"

	"github.com/rlvet/rlvet/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], cli.Process())) }

package cli

import "github.com/spf13/cobra"

// debugCommands returns the commands that show what the engine thinks.
func (a *app) debugCommands() []*cobra.Command { return nil }

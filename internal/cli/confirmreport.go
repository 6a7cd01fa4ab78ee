package cli

import (
	"bytes"
	"fmt"

	"github.com/rlvet/rlvet/internal/report"
)

// reportable says before anything runs what would keep the report from being written.
func (c *confirmation) reportable() error {
	if err := report.ConfirmationFormat(c.settings.OutputFormat); err != nil {
		return err
	}
	if c.flags.html == "" {
		return nil
	}
	if err := writable(c.flags.html); err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	return nil
}

// report writes the report, and the page where one is asked for.
func (c *confirmation) report(list []*report.Confirmation) error {
	for _, l := range list {
		if l.Outcome != nil {
			c.showOutput(l.Script, l.Outcome.Runs)
		}
	}
	if err := report.WriteConfirmations(c.Stdout, list, c.settings.OutputFormat, c.coloured(c.Stdout)); err != nil {
		return err
	}
	return c.writePage(list)
}

func (c *confirmation) writePage(list []*report.Confirmation) error {
	if c.flags.html == "" {
		return nil
	}
	var b bytes.Buffer
	if err := report.WriteConfirmationPage(&b, list); err != nil {
		return err
	}
	if err := writeFile(c.flags.html, b.Bytes()); err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	return nil
}

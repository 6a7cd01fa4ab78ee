package lsp

import (
	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/finding"
)

// LowerDrive is lowerDrive, which the server does on Windows alone.
var LowerDrive = lowerDrive

// WithFresh has the server ask f which findings the baseline does not know.
func (o Options) WithFresh(f func(*config.Settings, []finding.Finding) ([]finding.Finding, error)) Options {
	o.fresh = f
	return o
}

package config

import (
	"strings"

	"github.com/hashicorp/go-version"
)

// requires reports that a layer wants another version of rlvet than this one, which is
// "" where nobody asks. A development build counts as the version that it leads to.
func (l *Layer) requires(have string) error {
	wanted := l.Values.RequiredVersion
	if wanted == nil || *wanted == "" {
		return nil
	}
	bounds, err := version.NewConstraint(strings.ReplaceAll(*wanted, "==", "="))
	if err != nil {
		return errorAt(l.at("required-version"), "%q is not a version or bounds on one; write, for example, required-version = \">= 0.1, < 1\"; the operators are ==, !=, <, <=, >, >= and ~>", *wanted)
	}
	if v, err := version.NewVersion(have); err == nil && !bounds.Check(v.Core()) {
		return errorAt(l.at("required-version"), "these settings are for rlvet %s, and this is %s; install a version that they allow", *wanted, have)
	}
	return nil
}

// Package integrations tries rlvet where commits and pull requests are checked, and as
// it is installed: by the real pre-commit, by the scripts of the action of GitHub, and as
// the package for pip. The hooks are in .pre-commit-hooks.yaml, the action is action.yml,
// the package is packaging/pypi.
package integrations

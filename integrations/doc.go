// Package integrations tries rlvet where commits and pull requests are checked: by
// the real pre-commit, and by the scripts of the action of GitHub. The hooks are in
// .pre-commit-hooks.yaml, the action is action.yml.
package integrations

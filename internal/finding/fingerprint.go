package finding

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
)

// Fingerprint returns the identity of a finding that survives edits elsewhere in
// the file: 16 hexadecimal digits over the code, the path with slashes and the
// flagged text, in which runs of white space count as one space. n counts
// findings of a file that are otherwise equal, from 0.
func Fingerprint(code, path, text string, n int) string {
	text = strings.Join(strings.Fields(text), " ")
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%d", code, filepath.ToSlash(path), text, n))
	return hex.EncodeToString(sum[:8])
}

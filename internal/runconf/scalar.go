package runconf

import (
	"math/big"
	"regexp"
	"strings"
)

// # Plain scalars
//
// Training frameworks read YAML with PyYAML, or with OmegaConf, which starts from it. Both have the scalars of YAML 1.1, in which 010
// is 8 and "no" a truth value, and the parser here those of YAML 1.2. The patterns are those of PyYAML 6.0 (resolver.py) and
// OmegaConf 2.3 (_utils.py); docs/shell-and-yaml.md holds examples.

var (
	truth   = regexp.MustCompile(`^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$`)
	integer = regexp.MustCompile(`^[-+]?(?:0b[01_]+|0[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+|[1-9][0-9_]*(?::[0-5]?[0-9])+)$`)
	dotted  = regexp.MustCompile(`^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$`)
	omega   = regexp.MustCompile(`^(?:[-+]?[0-9]+(?:_[0-9]+)*\.[0-9_]*(?:[eE][-+]?[0-9]+)?|[-+]?[0-9]+(?:_[0-9]+)*[eE][-+]?[0-9]+|\.[0-9]+(?:_[0-9]+)*(?:[eE][-+][0-9]+)?)$`)
)

// plainScalar is what a scalar without quotes is. Its text is then one that Python reads as that number.
func plainScalar(text string) Value {
	switch {
	case truth.MatchString(text):
		return Of(text)
	case integer.MatchString(text):
		return Of(decimal(text))
	case dotted.MatchString(text):
		bare := strings.ReplaceAll(text, "_", "")
		if strings.Contains(bare, ":") {
			return Value{} // minutes and seconds with a fraction
		}
		if sign := strings.TrimLeft(bare, "+-"); strings.HasPrefix(sign, ".i") || strings.HasPrefix(sign, ".I") || strings.HasPrefix(sign, ".n") || strings.HasPrefix(sign, ".N") {
			bare = strings.Replace(bare, ".", "", 1)
		}
		return Of(bare)
	case omega.MatchString(text):
		return Value{Kind: Text, Text: text, Reads: ByDot}
	}
	v := Of(text)
	_, isNumber := v.Number()
	if _, isTruth := v.Bool(); isNumber || isTruth {
		v.Reads = AsString // 08, Infinity, yEs
	}
	return v
}

// decimal writes an integer of YAML 1.1 with ten digits: one of base 2, 8, 16, or of base 60 with colons.
func decimal(text string) string {
	digits := strings.ReplaceAll(strings.TrimLeft(text, "+-"), "_", "")
	sum, base := new(big.Int), 10
	switch {
	case digits == "" || len(digits) > 200:
		return text
	case strings.HasPrefix(digits, "0b"):
		digits, base = digits[2:], 2
	case strings.HasPrefix(digits, "0x"):
		digits, base = digits[2:], 16
	case digits[0] == '0' && len(digits) > 1:
		digits, base = digits[1:], 8
	}
	for _, part := range strings.Split(digits, ":") {
		n, ok := new(big.Int).SetString(part, base)
		if !ok {
			return text
		}
		sum.Add(sum.Mul(sum, big.NewInt(60)), n)
	}
	if strings.HasPrefix(text, "-") {
		sum.Neg(sum)
	}
	return sum.String()
}

package conformance

import (
	"encoding/base64"
	"errors"
	"regexp"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// formats are checked besides those that the validator knows. It takes a
// template for a URI, which ruleset://{name} is not, and knows no byte.
var formats = []*jsonschema.Format{
	{Name: "uri-template", Validate: onStrings(checkTemplate)},
	{Name: "byte", Validate: onStrings(checkBase64)},
}

// onStrings makes a check of strings one of any value, as formats are.
func onStrings(check func(string) error) func(any) error {
	return func(v any) error {
		if s, ok := v.(string); ok {
			return check(s)
		}
		return nil
	}
}

// expression matches a template expression in braces: RFC 6570, section 2.2.
var expression = regexp.MustCompile(`\{[+#./;?&=,!@|]?` + variable + `(,` + variable + `)*\}`)

const variable = `([A-Za-z0-9_]|%[0-9A-Fa-f]{2})+(\.([A-Za-z0-9_]|%[0-9A-Fa-f]{2})+)*(:[1-9][0-9]{0,3}|\*)?`

// checkTemplate wants expressions in braces and, around them, what section 2.1
// calls literals.
func checkTemplate(s string) error {
	if rest := expression.ReplaceAllString(s, ""); strings.ContainsAny(rest, "{} \"'<>\\^`|") {
		return errors.New("is no template of RFC 6570")
	}
	return nil
}

func checkBase64(s string) error {
	_, err := base64.StdEncoding.DecodeString(s)
	return err
}

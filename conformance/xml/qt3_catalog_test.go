package xml_test

import (
	"encoding/xml"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A qt3Environment holds the documents, variables and namespaces of a query.
type qt3Environment struct {
	Name       string `xml:"name,attr"`
	Ref        string `xml:"ref,attr"`
	Namespaces []struct {
		Prefix string `xml:"prefix,attr"`
		URI    string `xml:"uri,attr"`
	} `xml:"namespace"`
	Sources []struct {
		Role       string `xml:"role,attr"`
		File       string `xml:"file,attr"`
		Validation string `xml:"validation,attr"`
	} `xml:"source"`
	Params []struct {
		Name   string `xml:"name,attr"`
		Select string `xml:"select,attr"`
		Source string `xml:"source,attr"`
	} `xml:"param"`
	Others []struct {
		XMLName xml.Name
	} `xml:",any"`

	dir string // of the file that declares it
}

type qt3Dependency struct {
	Type      string `xml:"type,attr"`
	Value     string `xml:"value,attr"`
	Satisfied string `xml:"satisfied,attr"`
}

// A qt3Assertion is an element of a result: its name says what it asserts.
type qt3Assertion struct {
	XMLName   xml.Name
	Code      string         `xml:"code,attr"`
	File      string         `xml:"file,attr"`
	Flags     string         `xml:"flags,attr"`
	Normalize string         `xml:"normalize-space,attr"`
	Text      string         `xml:",chardata"`
	Parts     []qt3Assertion `xml:",any"`
}

type qt3Case struct {
	Name         string           `xml:"name,attr"`
	Environments []qt3Environment `xml:"environment"`
	Dependencies []qt3Dependency  `xml:"dependency"`
	Modules      []struct{}       `xml:"module"`
	Test         struct {
		Text string `xml:",chardata"`
		File string `xml:"file,attr"`
	} `xml:"test"`
	Result struct {
		Parts []qt3Assertion `xml:",any"`
	} `xml:"result"`

	set         string
	dir         string // of the file that has it
	environment qt3Environment
}

// qt3Cases reads the catalogue of QT3 in a directory.
func qt3Cases(t *testing.T, dir string) []qt3Case {
	t.Helper()
	var index struct {
		Environments []qt3Environment `xml:"environment"`
		Sets         []struct {
			File string `xml:"file,attr"`
		} `xml:"test-set"`
	}
	decode(t, filepath.Join(dir, "catalog.xml"), &index)
	general := byName(index.Environments, dir)
	var all []qt3Case
	for _, ref := range index.Sets {
		var set struct {
			Name         string           `xml:"name,attr"`
			Environments []qt3Environment `xml:"environment"`
			Dependencies []qt3Dependency  `xml:"dependency"`
			Cases        []qt3Case        `xml:"test-case"`
		}
		path := filepath.Join(dir, ref.File)
		decode(t, path, &set)
		own := byName(set.Environments, filepath.Dir(path))
		for _, c := range set.Cases {
			c.set, c.dir = set.Name, filepath.Dir(path)
			c.Dependencies = slices.Concat(set.Dependencies, c.Dependencies)
			if len(c.Environments) > 0 {
				c.environment = c.Environments[0]
				c.environment.dir = c.dir
			}
			if name := c.environment.Ref; name != "" {
				found, ok := own[name]
				if !ok {
					found = general[name]
				}
				c.environment = found
			}
			all = append(all, c)
		}
	}
	return all
}

func byName(all []qt3Environment, dir string) map[string]qt3Environment {
	named := map[string]qt3Environment{}
	for _, e := range all {
		e.dir = dir
		named[e.Name] = e
	}
	return named
}

// Values of dependencies that are not there: parts of XQuery, XSLT and schemas, and
// what depends on the machine or on a locale.
var qt3Lacks = map[string]string{
	"feature": "schemaImport schemaValidation schema-aware staticTyping fn-transform-XSLT fn-transform-XSLT30 fn-load-xquery-module " +
		"advanced-uca-fallback simple-uca-fallback infoset-dtd non_empty_sequence_collection olson-timezone " +
		"non_unicode_codepoint_collation xpath-1.0-compatibility remote_http directory-as-collection-uri moduleImport typedData",
	"xml-version": "1.1 1.0:4- 1.1:1.0", "xsd-version": "1.0", "limits": "*", "calendar": "*", "unicode-version": "*",
	"format-integer-sequence": "*",
}

// Queries that read something besides the document, which no query may do here.
var qt3Outside = regexp.MustCompile(`\b(doc|doc-available|document-uri|base-uri|static-base-uri|unparsed-text|unparsed-text-lines|unparsed-text-available|json-doc|collection|uri-collection|environment-variable|available-environment-variables|load-xquery-module|transform|default-collation|default-language|resolve-uri)\b`)

// qt3Spec matches the specifications that include XPath 3.1.
var qt3Spec = regexp.MustCompile(`\bXP(20\+|30\+|31)`)

// skipped returns the reason why a case is no question for the library, or "".
func (c *qt3Case) skipped() string {
	for _, d := range c.Dependencies {
		if d.Type == "spec" && !qt3Spec.MatchString(d.Value) {
			return "XQuery or an older XPath only"
		}
		lacks := slices.Contains(strings.Fields(qt3Lacks[d.Type]), d.Value) || qt3Lacks[d.Type] == "*" ||
			strings.HasSuffix(d.Type, "language") && d.Value != "en"
		if d.Type != "spec" && lacks != (d.Satisfied == "false") {
			return d.Type + " " + d.Value
		}
	}
	for _, other := range c.environment.Others {
		if other.XMLName.Local != "description" && other.XMLName.Local != "created" && other.XMLName.Local != "modified" {
			return "environment: " + other.XMLName.Local
		}
	}
	for _, s := range c.environment.Sources {
		if s.Role != "." || s.Validation != "" && s.Validation != "skip" {
			return "a validated source, or one for a variable"
		}
	}
	for _, p := range c.environment.Params {
		if p.Source != "" || p.Select == "" {
			return "a variable for a document"
		}
	}
	switch {
	case len(c.Modules) > 0 || c.Test.File != "":
		return "the query is a module or a file"
	case c.set == "fn-environment-variable" || c.set == "fn-unparsed-text-available":
		return "" // what they return is defined here, too
	case qt3Outside.MatchString(c.Test.Text):
		return "it reads something outside of the document"
	case len(c.environment.Sources) == 0 && c.expects("XPDY0002"):
		return "it needs an absent context item"
	}
	return ""
}

// expects reports whether an error with a code is expected.
func (c *qt3Case) expects(code string) bool {
	var in func(parts []qt3Assertion) bool
	in = func(parts []qt3Assertion) bool {
		return slices.ContainsFunc(parts, func(a qt3Assertion) bool { return a.Code == code || in(a.Parts) })
	}
	return in(c.Result.Parts)
}

package document

import "strings"

// A Violation is an error in a document or in a schema.
type Violation struct {
	File         string // of a schema: the file with the error, which may be an included one
	Line, Column int    // start of the element; 0 if unknown
	// Path is an XPath 3.1 expression that selects the element or attribute;
	// empty if only the line is known.
	Path    string
	Message string
}

func (v Violation) String() string {
	where := at(v.File, v.Line, v.Column)
	if v.File == "" {
		where = strings.Replace(at("line", v.Line, v.Column), ":", " ", 1)
	}
	if v.Path != "" {
		where += " " + v.Path
	}
	return where + ": " + v.Message
}

// MaxViolations limits the violations in an error. More are only counted, and the
// search ends soon after.
const MaxViolations = 10_000

package document

import "strings"

// A Violation is one thing that is wrong with a document, or with a schema.
type Violation struct {
	File         string // for a schema: the file, which may be an included one
	Line, Column int    // where the element begins; 0 where that is not known
	// Path is an XPath 3.1 expression that selects the element or attribute; empty
	// where only the line is known.
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

// MaxViolations limits the violations in an error. Further ones are counted
// as far as they were found: the search ends when there is no room.
const MaxViolations = 10_000

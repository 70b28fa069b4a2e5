package datatype

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A failure says why a text is no value of a type. It refers to the text.
type failure struct {
	t      *Type
	text   string
	facet  string // empty if the text is not in the lexical space
	limit  string // value of the facet
	length int
	item   bool // it concerns an item of a list
}

// effort stands in for the facet of values that take too long to compare with a pattern.
const effort = "effort"

// err returns the failure as an error, which is a copy of all that it refers to.
func (f *failure) err() error {
	return failureError(fmt.Sprintf(f.format(), f.subject()))
}

// A failureError is the message of a failure.
type failureError string

func (e failureError) Error() string { return string(e) }

func (f *failure) subject() string {
	if f.item {
		return "The item " + quote(f.text) + " of the list"
	}
	return "The value " + quote(f.text)
}

// format returns a format whose only verb stands for the value.
func (f *failure) format() string {
	limit := strings.ReplaceAll(f.limit, "%", "%%")
	switch f.facet {
	case "":
		return "%s is not of the type " + strings.ReplaceAll(f.t.display(), "%", "%%") + "."
	case "length", "minLength", "maxLength":
		relation := map[string]string{"length": "not the length", "minLength": "less than the minLength", "maxLength": "more than the maxLength"}
		return fmt.Sprintf("%%s has the length %d, %s %s.", f.length, relation[f.facet], limit)
	case "totalDigits":
		return "%s has more than " + limit + " digits (totalDigits)."
	case "fractionDigits":
		return "%s has more than " + limit + " digits after the point (fractionDigits)."
	case "pattern":
		return "%s does not match the pattern " + limit + "."
	case effort:
		return "%s takes too many steps to compare with the pattern " + limit + "."
	case "enumeration":
		return "%s is not in the enumeration " + limit + "."
	}
	for i, name := range boundNames {
		if name == f.facet {
			return "%s must be " + boundWords[i] + " " + limit + " (" + name + ")."
		}
	}
	panic("no such facet: " + f.facet)
}

// display returns the name of a type for messages. That of an anonymous one is the name of
// the closest type that it restricts.
func (t *Type) display() string {
	switch {
	case t.name.Space == space:
		return "xs:" + t.name.Local
	case t.name.Local != "":
		return t.name.String()
	case t.variety == Union:
		return "any member of the union"
	case t.variety == List:
		return "list of " + t.item.display()
	}
	return t.base.display()
}

// Limits of what messages quote.
const (
	maxQuote = 200
	maxList  = 30
)

// quote returns a text in quotation marks, shortened if it is long.
func quote(text string) string {
	if len(text) > maxQuote {
		cut := maxQuote
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "…"
	}
	return "'" + text + "'"
}

func quoteAll(texts []string) string {
	var b strings.Builder
	for i, text := range texts {
		if i == maxList {
			fmt.Fprintf(&b, " and %d more", len(texts)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quote(text))
	}
	return b.String()
}

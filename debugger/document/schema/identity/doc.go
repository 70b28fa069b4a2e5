// Package identity checks identity constraints while a document is read (XML Schema
// 1.0, part 1, section 3.11): selectors and fields are small automata over the starts and
// ends of elements, and only the values of keys and of references that are open are kept.
package identity

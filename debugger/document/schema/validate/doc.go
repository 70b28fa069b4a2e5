// Package validate checks documents against the components of a schema (XML Schema 1.0,
// part 1). A document is read once, as events; what is kept of it are the open elements,
// the names of their children, and the values that identity constraints need.
package validate

// Package folders restricts the files that a caller may open to those below
// given folders.
package folders

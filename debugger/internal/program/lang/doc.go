// Package lang names the programming languages whose types and values are written
// each in its own way.
package lang

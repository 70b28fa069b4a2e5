// Package number converts between strings and XPath 1.0 numbers.
package number

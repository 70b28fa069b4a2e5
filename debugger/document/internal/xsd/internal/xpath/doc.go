// Package xpath holds what the XPath evaluators share: axes, document order and limits.
package xpath

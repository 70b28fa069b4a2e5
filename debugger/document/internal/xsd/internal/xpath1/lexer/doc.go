// Package lexer splits XPath 1.0 expressions into tokens.
package lexer

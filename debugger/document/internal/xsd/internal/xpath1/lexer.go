package xpath1

import "github.com/triptych-mcp/triptych/debugger/document/internal/xsd/internal/xpath1/lexer"

// newLexer creates a lexer and tokenizes the entire input.
func newLexer(input string) (*lexer.Lexer, error) {
	return lexer.New(input)
}

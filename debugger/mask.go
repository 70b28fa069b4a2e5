package debugger

import "github.com/triptych-mcp/triptych/mcp/secrets"

// maskReport masks the secrets in a text of an answer. Those in values of a program have
// been masked before, where they lie in its memory.
func maskReport(text string) string { return secrets.Mask(text, secrets.Report) }

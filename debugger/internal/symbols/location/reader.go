package location

import (
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/symbols/field"
)

var errShort = errors.New("location expression ends early")

// A reader takes operands off an expression.
type reader = field.Reader

// read begins at data.
func read(data []byte) reader { return reader{Data: data, Short: errShort} }

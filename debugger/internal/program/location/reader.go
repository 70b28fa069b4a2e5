package location

import (
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/program/field"
)

var errShort = errors.New("location expression ends early")

// A reader reads operands of an expression.
type reader = field.Reader

// read returns a reader of data.
func read(data []byte) reader { return reader{Data: data, Short: errShort} }

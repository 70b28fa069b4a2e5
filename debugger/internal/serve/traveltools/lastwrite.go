package traveltools

import (
	"context"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/lastwrite"
	"github.com/triptych-mcp/triptych/mcp"
)

// lastWriteArgs holds the arguments of last_write.
type lastWriteArgs struct {
	Address    string `json:"address,omitempty" doc:"0x404010 or &total"`
	Expression string `json:"expression,omitempty"`
	Size       int    `json:"size,omitempty" min:"1" max:"65536" bounds:"enforced"`
	Move       bool   `json:"move,omitempty" doc:"Go there, to just before the write"`
	sessiontools.SessionArg
}

// Validate checks rules that the schema cannot express.
func (a lastWriteArgs) Validate() error {
	if (a.Address == "") == (a.Expression == "") {
		return errors.New("give either address or expression")
	}
	return nil
}

// lastWrite searches backward from the current position for the last write to a
// value.
func (t *Group) lastWrite(ctx context.Context, _ *mcp.Call, s *session.Session, args lastWriteArgs) (lastwrite.Answer, error) {
	return lastwrite.Find(ctx, s, lastwrite.Query{Address: args.Address, Expression: args.Expression, Size: args.Size, Move: args.Move})
}

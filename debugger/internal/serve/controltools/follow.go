package controltools

import (
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
)

// A followArg is the argument that decides what becomes of children.
type followArg struct {
	Follow string `json:"follow,omitempty" enum:"parent|child|both"`
}

// modes are the values of the argument follow.
var modes = map[string]proc.Follow{"parent": proc.FollowParent, "child": proc.FollowChild, "both": proc.FollowBoth}

// mode returns the mode that the argument wants, that of the parent without one.
func (a followArg) mode() proc.Follow { return modes[a.Follow] }

// follow changes the mode if there is an argument.
func (t *Group) follow(s *session.Session, a followArg) error {
	if a.Follow == "" {
		return nil
	}
	if err := s.Target.RequireProcess(); err != nil {
		return err
	}
	return t.Sessions.Follow(s, a.mode())
}

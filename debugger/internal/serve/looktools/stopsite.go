package looktools

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs"
	"github.com/triptych-mcp/triptych/debugger/internal/program/callstack"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// StopSite returns where the process of a session stopped, for the search for
// similar bugs.
func (t *Group) StopSite(ctx context.Context, call *mcp.Call, id string) (bugs.Site, error) {
	find := sessiontools.WithStopped(t.Sessions, func(_ context.Context, _ *mcp.Call, s *session.Session, _ sessiontools.OnlySession) (bugs.Site, error) {
		return site(s)
	})
	return find(ctx, call, sessiontools.OnlySession{SessionArg: sessiontools.SessionArg{Session: id}})
}

// maxSiteFrames limits the frames that are searched for the program's own code.
const maxSiteFrames = 50

// site describes the innermost frame in the program's own code: a crash within
// the C library is seldom a bug of the library.
func site(s *session.Session) (bugs.Site, error) {
	frames, err := s.Inspector.Frames(0, maxSiteFrames)
	if err != nil {
		return bugs.Site{}, err
	}
	now := s.ReportedState()
	frame := ownFrame(s, frames)
	in := s.Inspector.Instruction(frames[0].PC)
	site := bugs.Site{
		File: frame.File, Line: frame.Line, Function: frame.Function,
		Signal: now.Signal, Instruction: in.Text(s.Inspector.Symbolize), Values: map[string]string{},
	}
	if addr, err := inspect.ParseAddress(now.Fault); err == nil {
		site.FaultAddress = &addr
	}
	for _, o := range frame.Variables() {
		if !o.Hidden {
			site.Values[o.Name] = o.Value(values.DefaultLimits).Text
		}
	}
	if regs, err := s.Target.View.Regs(0); err == nil {
		for _, row := range inspect.Registers {
			if row.Kind == inspect.General {
				site.Values[row.Name] = plain.Hex(row.Get(&regs))
			}
		}
	}
	return site, nil
}

// ownFrame returns the innermost frame in the program's own code that has a
// source line, or else the innermost frame.
func ownFrame(s *session.Session, frames []callstack.Frame) *callstack.Frame {
	executable := s.Target.Executable()
	for i := range frames {
		if frames[i].Image == executable && frames[i].File != "" {
			return &frames[i]
		}
	}
	return &frames[0]
}

package debugger

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols/callstack"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols/values"
	"github.com/triptych-mcp/triptych/mcp"
)

// siteOfStop is where the process of a session stopped, for the search for
// similar bugs.
func (t *lookGroup) siteOfStop(ctx context.Context, call *mcp.Call, id string) (bugs.Site, error) {
	find := still(t.sessions, func(_ context.Context, _ *mcp.Call, s *session, _ onlySession) (bugs.Site, error) { return site(s) })
	return find(ctx, call, onlySession{sessionArg{id}})
}

// maxSiteFrames is how far from the stop the program's own code is looked for.
const maxSiteFrames = 50

// site describes the innermost frame of the program's own code: what is wrong
// with a string shows in the C library, but is not its fault.
func site(s *session) (bugs.Site, error) {
	frames, err := s.frames(0, maxSiteFrames)
	if err != nil {
		return bugs.Site{}, err
	}
	now := s.tell()
	frame := ownFrame(s, frames)
	in := s.instruction(frames[0].PC)
	site := bugs.Site{
		File: frame.File, Line: frame.Line, Function: frame.Function,
		Signal: now.Signal, Instruction: in.Text(s.symbolize), Values: map[string]string{},
	}
	if addr, err := parseAddress(now.Fault); err == nil {
		site.FaultAddress = &addr
	}
	for _, o := range frame.Variables() {
		site.Values[o.Name] = o.Value(values.DefaultLimits).Text
	}
	if regs, err := s.scene.Regs(0); err == nil {
		for _, row := range registerRows {
			if !row.short {
				site.Values[row.name] = hexadecimal(row.get(&regs))
			}
		}
	}
	return site, nil
}

// ownFrame is the innermost frame of the program's own code with a source
// line, else the innermost one of all.
func ownFrame(s *session, frames []callstack.Frame) *callstack.Frame {
	executable := s.executable()
	for i := range frames {
		if frames[i].Image == executable && frames[i].File != "" {
			return &frames[i]
		}
	}
	return &frames[0]
}

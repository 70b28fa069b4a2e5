package dap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-dap"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/plain"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
)

// A breakpoint is a breakpoint as the client has set it. The engine has it
// only while its place is known.
type breakpoint struct {
	id   int
	kind string // the reason of its stops
	spec
	set       *stepping.Breakpoint // nil if the engine does not have it
	err       error                // why the engine does not have it
	exception string               // of an exception filter: what is shown at its stops
}

// A spec says what the client wants. Breakpoints with equal specs are the same.
type spec struct {
	path     string // of the client, with line
	line     int
	function string
	address  uint64
	size     int    // of data
	mask     string // the bits of a bit-field, as bytes; "" for all bits
	access   proc.Access

	condition, hits, log string
}

// breakpoints holds the client's breakpoints, and those of others that it was
// told of.
type breakpoints struct {
	client *client

	made    int
	all     []*breakpoint
	foreign map[int]dap.Breakpoint // by the number of the engine
	images  int                    // how many files were mapped when places were last looked for

	signals    []string // the exception filters that the client has chosen
	signalsDue bool     // the process does not have them yet
}

// maxSet bounds the breakpoints of a client.
const maxSet = 1000

// byEngine returns the breakpoint with a number of the engine, nil if it is
// not of this client.
func (bs *breakpoints) byEngine(id int) *breakpoint {
	for _, b := range bs.all {
		if b.set != nil && b.set.ID == id {
			return b
		}
	}
	return nil
}

// describe adds to a stop what is known of the breakpoint.
func (b *breakpoint) describe(body *dap.StoppedEventBody) {
	body.Reason, body.HitBreakpointIds = b.kind, []int{b.id}
	if b.exception != "" {
		body.Reason, body.Description, body.HitBreakpointIds = reasonException, b.exception, nil
	}
}

// settings answers the requests that choose where the process stops.
type settings struct {
	client      *client
	breakpoints *breakpoints
	looks       *looks
	moves       *moves
}

// replace makes the breakpoints for which ours returns true those of the specs.
// Equal ones stay as they are, with their hits.
func (w *settings) replace(ctx context.Context, ours func(*breakpoint) bool, kind string, specs []spec) ([]dap.Breakpoint, error) {
	return w.replaceAnd(ctx, ours, kind, specs, func() error { return nil })
}

// replaceAnd is replace, and calls also while the process is stopped for it.
func (w *settings) replaceAnd(ctx context.Context, ours func(*breakpoint) bool, kind string, specs []spec, also func() error) ([]dap.Breakpoint, error) {
	t := w.breakpoints
	if len(t.all)+len(specs) > maxSet {
		return nil, fmt.Errorf("a client may have %d breakpoints", maxSet)
	}
	var kept []*breakpoint
	for _, s := range specs {
		i := slices.IndexFunc(t.all, func(b *breakpoint) bool { return ours(b) && b.spec == s && !slices.Contains(kept, b) })
		if i >= 0 {
			kept = append(kept, t.all[i])
			continue
		}
		t.made++
		kept = append(kept, &breakpoint{id: t.made, kind: kind, spec: s})
	}
	gone := slices.DeleteFunc(slices.Clone(t.all), func(b *breakpoint) bool { return !ours(b) || slices.Contains(kept, b) })
	err := w.moves.betweenRuns(ctx, func() error { return errors.Join(w.breakpoints.apply(ctx, gone, kept), also()) })
	if err != nil && !errors.Is(err, errRunning) && !errors.Is(err, errMirror) && !errors.Is(err, errMoved) {
		return nil, err
	}
	t.all = slices.DeleteFunc(t.all, ours)
	t.all = append(t.all, kept...)
	answer := []dap.Breakpoint{}
	for _, b := range kept {
		if b.set == nil && err != nil {
			b.err = err
		}
		answer = append(answer, w.breakpoints.wire(b))
	}
	return answer, nil
}

// apply clears and sets breakpoints of the engine.
func (bs *breakpoints) apply(ctx context.Context, gone, kept []*breakpoint) error {
	if err := bs.client.requireDriver(); err != nil {
		return err
	}
	var errs error
	for _, b := range gone {
		if b.set != nil {
			errs = errors.Join(errs, proc.UnlessEnded(bs.client.s.Breakpoints.Clear(b.set)))
		}
	}
	for _, b := range kept {
		if b.set == nil {
			b.set, b.err = bs.place(ctx, b)
		}
	}
	bs.images = len(bs.client.s.Inspector.Program.Images())
	return errs
}

func maskOf(bits string) []byte {
	if bits == "" {
		return nil
	}
	return []byte(bits)
}

// place lets the engine have a breakpoint.
func (bs *breakpoints) place(ctx context.Context, b *breakpoint) (*stepping.Breakpoint, error) {
	if b.size != 0 {
		return bs.client.s.Breakpoints.SetWatch(ctx, stepping.Watch{Address: b.address, Size: b.size, Mask: maskOf(b.mask), Access: b.access}, b.condition, b.hits)
	}
	if name, _, _ := strings.Cut(b.function, ":"); b.kind == exceptionKind && name == syscallFilter {
		return bs.client.s.Breakpoints.SetBreakpoint(ctx, stepping.BreakpointSpec{Site: stepping.Site{Catch: b.function}})
	}
	places, err := bs.places(ctx, b)
	if err != nil {
		return nil, err
	}
	return bs.client.s.Breakpoints.SetBreakpoint(ctx, stepping.BreakpointSpec{Places: places, Condition: b.condition, Hits: b.hits, Log: b.log})
}

func (bs *breakpoints) places(ctx context.Context, b *breakpoint) ([]symbols.Location, error) {
	switch {
	case b.kind == exceptionKind: // most programs do not have the function
		return bs.client.s.Inspector.Program.Entry(ctx, b.function)
	case b.path != "":
		return bs.client.s.Inspector.LinePlaces(ctx, bs.client.toDebuggee(b.path), b.line)
	case b.function != "":
		return bs.client.s.Inspector.FunctionPlaces(ctx, b.function)
	}
	return []symbols.Location{bs.client.s.Inspector.AddressPlace(b.address)}, nil
}

// retry sets what could not be set before, after a stop: while the process was
// running, or as long as a library was not loaded. After exec all are set again.
func (bs *breakpoints) retry(ctx context.Context) {
	images := 0
	waits := func(b *breakpoint) bool {
		if b.set != nil && bs.client.s.Breakpoints.ByID[b.set.ID] == nil {
			b.set = nil // another program was begun
			return true
		}
		return b.set == nil && (errors.Is(b.err, errRunning) || errors.Is(b.err, errMoved) || images != bs.images)
	}
	err := bs.client.locked(ctx, func() error {
		images = len(bs.client.s.Inspector.Program.Images())
		for _, b := range bs.all {
			if !waits(b) {
				continue
			}
			if b.set, b.err = bs.place(ctx, b); b.set != nil && b.exception == "" {
				bs.client.out.event("breakpoint", dap.BreakpointEventBody{Reason: "changed", Breakpoint: bs.wire(b)})
			}
		}
		bs.images = images
		return bs.chooseSignals()
	})
	if err != nil && bs.client.Log != nil {
		bs.client.Log.Debug("breakpoints could not be set after a stop", "err", err)
	}
}

// clear clears the breakpoints of a client that has gone. It waits until the
// session is idle; a session that has ended has none.
func (bs *breakpoints) clear() {
	if len(bs.all) == 0 {
		return
	}
	_, leave, err := bs.client.s.AcquireIdle(context.Background())
	if err != nil {
		return
	}
	defer leave()
	for _, b := range bs.all {
		if b.set == nil {
			continue
		}
		if err := proc.UnlessEnded(bs.client.s.Breakpoints.Clear(b.set)); err != nil && bs.client.Log != nil {
			bs.client.Log.Warn("a breakpoint could not be cleared", "session", bs.client.s.ID, "err", err)
		}
	}
}

// wire describes a breakpoint to the client.
func (bs *breakpoints) wire(b *breakpoint) dap.Breakpoint {
	w := dap.Breakpoint{Id: b.id, Verified: b.set != nil, Line: bs.client.toClientLine(b.line)}
	if b.err != nil {
		w.Message = b.err.Error()
	}
	if b.set != nil && b.size == 0 {
		bs.locate(&w, b.set.Places)
	}
	return w
}

// locate adds the first of the places to a breakpoint.
func (bs *breakpoints) locate(w *dap.Breakpoint, places []symbols.Location) {
	if len(places) == 0 {
		return
	}
	at := places[0]
	w.InstructionReference = plain.Hex(at.Addr)
	if at.File != "" {
		w.Source, w.Line = bs.client.sourceOf(at.File), bs.client.toClientLine(at.Line)
	}
}

// setBreakpoints replaces the breakpoints of a source file.
func (w *settings) setBreakpoints(ctx context.Context, args dap.SetBreakpointsArguments) (any, error) {
	path := args.Source.Path
	if path == "" {
		return nil, errors.New("the source has no path")
	}
	var specs []spec
	for _, b := range args.Breakpoints {
		specs = append(specs, spec{path: path, line: w.client.fromClientLine(b.Line), condition: b.Condition, hits: b.HitCondition, log: b.LogMessage})
	}
	all, err := w.replace(ctx, func(b *breakpoint) bool { return b.path == path }, "breakpoint", specs)
	return dap.SetBreakpointsResponseBody{Breakpoints: all}, err
}

// setFunctionBreakpoints replaces the breakpoints at functions.
func (w *settings) setFunctionBreakpoints(ctx context.Context, args dap.SetFunctionBreakpointsArguments) (any, error) {
	const kind = "function breakpoint"
	var specs []spec
	for _, b := range args.Breakpoints {
		specs = append(specs, spec{function: b.Name, condition: b.Condition, hits: b.HitCondition})
	}
	all, err := w.replace(ctx, func(b *breakpoint) bool { return b.kind == kind }, kind, specs)
	return dap.SetFunctionBreakpointsResponseBody{Breakpoints: all}, err
}

// setInstructionBreakpoints replaces the breakpoints at addresses.
func (w *settings) setInstructionBreakpoints(ctx context.Context, args dap.SetInstructionBreakpointsArguments) (any, error) {
	const kind = "instruction breakpoint"
	var specs []spec
	for _, b := range args.Breakpoints {
		addr, err := inspect.ParseAddress(b.InstructionReference)
		if err != nil {
			return nil, err
		}
		specs = append(specs, spec{address: addr + uint64(b.Offset), condition: b.Condition, hits: b.HitCondition})
	}
	all, err := w.replace(ctx, func(b *breakpoint) bool { return b.kind == kind }, kind, specs)
	return dap.SetInstructionBreakpointsResponseBody{Breakpoints: all}, err
}

// foreignBase is added to the numbers of the engine for the breakpoints of
// others, which then differ from those of the client.
const foreignBase = 1 << 20

// tellForeign tells a client that shares a session which breakpoints
// others have set and cleared.
func (bs *breakpoints) tellForeign() {
	if bs.client.Role == session.Owner {
		return
	}
	now := map[int]dap.Breakpoint{}
	err := bs.client.locked(context.Background(), func() error {
		for id, b := range bs.client.s.Breakpoints.ByID {
			if bs.byEngine(id) == nil {
				w := dap.Breakpoint{Id: foreignBase + id, Verified: true, Message: "of the agent"}
				bs.locate(&w, b.Places)
				now[id] = w
			}
		}
		return nil
	})
	if err != nil {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(now)) {
		if _, known := bs.foreign[id]; !known {
			bs.client.out.event("breakpoint", dap.BreakpointEventBody{Reason: "new", Breakpoint: now[id]})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(bs.foreign)) {
		if _, there := now[id]; !there {
			bs.client.out.event("breakpoint", dap.BreakpointEventBody{Reason: "removed", Breakpoint: bs.foreign[id]})
		}
	}
	bs.foreign = now
}

// A dataID identifies the memory of a data breakpoint, in JSON.
type dataID struct {
	Address uint64 `json:"address"`
	Size    int    `json:"size"`
	Mask    []byte `json:"mask,omitempty"` // the bits of a bit-field
}

// dataBreakpointInfo tells which memory a variable or an expression is in.
func (w *settings) dataBreakpointInfo(ctx context.Context, args dap.DataBreakpointInfoArguments) (any, error) {
	p, err := w.looks.target(ctx, args.VariablesReference, args.Name, args.FrameId)
	var place values.Place
	inMemory := false
	if err == nil && p.isObject {
		place, inMemory = p.object.Place()
	}
	if !inMemory || place.Size <= 0 {
		text := args.Name + " is not in memory"
		if err != nil {
			text = err.Error()
		}
		return dap.DataBreakpointInfoResponseBody{Description: text}, nil
	}
	id, err := json.Marshal(dataID{place.Address, int(place.Size), place.Mask})
	info := dap.DataBreakpointInfoResponseBody{
		DataId: string(id), Description: fmt.Sprintf("%s (%d bytes at %#x)", args.Name, place.Size, place.Address),
		AccessTypes: []dap.DataBreakpointAccessType{"write"},
	}
	if w.client.s.Target.Process != nil {
		info.AccessTypes = append(info.AccessTypes, "readWrite")
	}
	return info, err
}

// setDataBreakpoints replaces the breakpoints on memory.
func (w *settings) setDataBreakpoints(ctx context.Context, args dap.SetDataBreakpointsArguments) (any, error) {
	var specs []spec
	for _, b := range args.Breakpoints {
		var id dataID
		if err := json.Unmarshal([]byte(b.DataId), &id); err != nil || id.Size <= 0 || len(id.Mask) > 0 && len(id.Mask) != id.Size {
			return nil, fmt.Errorf("the dataId %q is not one of dataBreakpointInfo", b.DataId)
		}
		access := proc.Write
		switch b.AccessType {
		case "", "write":
		case "readWrite":
			access = proc.ReadWrite
		default:
			return nil, fmt.Errorf("the processor cannot watch the access %q; write and readWrite are possible", b.AccessType)
		}
		specs = append(specs, spec{address: id.Address, size: id.Size, mask: string(id.Mask), access: access, condition: b.Condition, hits: b.HitCondition})
	}
	all, err := w.replace(ctx, func(b *breakpoint) bool { return b.size != 0 }, reasonData, specs)
	return dap.SetDataBreakpointsResponseBody{Breakpoints: all}, err
}

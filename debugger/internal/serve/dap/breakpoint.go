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
	made    int
	all     []*breakpoint
	foreign map[int]dap.Breakpoint // by the number of the engine
	images  int                    // how many files were mapped when places were last looked for
}

// maxSet bounds the breakpoints of a client.
const maxSet = 1000

// byEngine returns the breakpoint with a number of the engine, nil if it is
// not of this client.
func (t *breakpoints) byEngine(id int) *breakpoint {
	for _, b := range t.all {
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

// replace makes the breakpoints for which ours returns true those of the specs.
// Equal ones stay as they are, with their hits.
func (v *server) replace(ctx context.Context, ours func(*breakpoint) bool, kind string, specs []spec) ([]dap.Breakpoint, error) {
	return v.replaceAnd(ctx, ours, kind, specs, func() error { return nil })
}

// replaceAnd is replace, and calls also while the process is stopped for it.
func (v *server) replaceAnd(ctx context.Context, ours func(*breakpoint) bool, kind string, specs []spec, also func() error) ([]dap.Breakpoint, error) {
	t := &v.breakpoints
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
	err := v.betweenRuns(ctx, func() error { return errors.Join(v.apply(ctx, gone, kept), also()) })
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
		answer = append(answer, v.wire(b))
	}
	return answer, nil
}

// apply clears and sets breakpoints of the engine.
func (v *server) apply(ctx context.Context, gone, kept []*breakpoint) error {
	if err := v.requireDriver(); err != nil {
		return err
	}
	var errs error
	for _, b := range gone {
		if b.set != nil {
			errs = errors.Join(errs, proc.UnlessEnded(v.s.Breakpoints.Clear(b.set)))
		}
	}
	for _, b := range kept {
		if b.set == nil {
			b.set, b.err = v.place(ctx, b)
		}
	}
	v.breakpoints.images = len(v.s.Inspector.Program.Images())
	return errs
}

func maskOf(bits string) []byte {
	if bits == "" {
		return nil
	}
	return []byte(bits)
}

// place lets the engine have a breakpoint.
func (v *server) place(ctx context.Context, b *breakpoint) (*stepping.Breakpoint, error) {
	if b.size != 0 {
		return v.s.Breakpoints.SetWatch(ctx, stepping.Watch{Address: b.address, Size: b.size, Mask: maskOf(b.mask), Access: b.access}, b.condition, b.hits)
	}
	if name, _, _ := strings.Cut(b.function, ":"); b.kind == exceptionKind && name == syscallFilter {
		return v.s.Breakpoints.SetBreakpoint(ctx, stepping.BreakpointSpec{Site: stepping.Site{Catch: b.function}})
	}
	places, err := v.places(ctx, b)
	if err != nil {
		return nil, err
	}
	return v.s.Breakpoints.SetBreakpoint(ctx, stepping.BreakpointSpec{Places: places, Condition: b.condition, Hits: b.hits, Log: b.log})
}

func (v *server) places(ctx context.Context, b *breakpoint) ([]symbols.Location, error) {
	switch {
	case b.kind == exceptionKind: // most programs do not have the function
		return v.s.Inspector.Program.Entry(ctx, b.function)
	case b.path != "":
		return v.s.Inspector.LinePlaces(ctx, v.toDebuggee(b.path), b.line)
	case b.function != "":
		return v.s.Inspector.FunctionPlaces(ctx, b.function)
	}
	return []symbols.Location{v.s.Inspector.AddressPlace(b.address)}, nil
}

// retry sets what could not be set before, after a stop: while the process was
// running, or as long as a library was not loaded. After exec all are set again.
func (t *breakpoints) retry(ctx context.Context, v *server) {
	images := 0
	waits := func(b *breakpoint) bool {
		if b.set != nil && v.s.Breakpoints.ByID[b.set.ID] == nil {
			b.set = nil // another program was begun
			return true
		}
		return b.set == nil && (errors.Is(b.err, errRunning) || errors.Is(b.err, errMoved) || images != t.images)
	}
	err := v.locked(ctx, func() error {
		images = len(v.s.Inspector.Program.Images())
		for _, b := range t.all {
			if !waits(b) {
				continue
			}
			if b.set, b.err = v.place(ctx, b); b.set != nil && b.exception == "" {
				v.out.event("breakpoint", dap.BreakpointEventBody{Reason: "changed", Breakpoint: v.wire(b)})
			}
		}
		t.images = images
		return v.chooseSignals()
	})
	if err != nil && v.Log != nil {
		v.Log.Debug("breakpoints could not be set after a stop", "err", err)
	}
}

// clear clears the breakpoints of a client that has gone. It waits until the
// session is idle; a session that has ended has none.
func (t *breakpoints) clear(v *server) {
	if len(t.all) == 0 {
		return
	}
	_, leave, err := v.s.AcquireIdle(context.Background())
	if err != nil {
		return
	}
	defer leave()
	for _, b := range t.all {
		if b.set == nil {
			continue
		}
		if err := proc.UnlessEnded(v.s.Breakpoints.Clear(b.set)); err != nil && v.Log != nil {
			v.Log.Warn("a breakpoint could not be cleared", "session", v.s.ID, "err", err)
		}
	}
}

// wire describes a breakpoint to the client.
func (v *server) wire(b *breakpoint) dap.Breakpoint {
	w := dap.Breakpoint{Id: b.id, Verified: b.set != nil, Line: v.toClientLine(b.line)}
	if b.err != nil {
		w.Message = b.err.Error()
	}
	if b.set != nil && b.size == 0 {
		v.locate(&w, b.set.Places)
	}
	return w
}

// locate adds the first of the places to a breakpoint.
func (v *server) locate(w *dap.Breakpoint, places []symbols.Location) {
	if len(places) == 0 {
		return
	}
	at := places[0]
	w.InstructionReference = plain.Hex(at.Addr)
	if at.File != "" {
		w.Source, w.Line = v.sourceOf(at.File), v.toClientLine(at.Line)
	}
}

// setBreakpoints replaces the breakpoints of a source file.
func (v *server) setBreakpoints(ctx context.Context, args dap.SetBreakpointsArguments) (any, error) {
	path := args.Source.Path
	if path == "" {
		return nil, errors.New("the source has no path")
	}
	var specs []spec
	for _, b := range args.Breakpoints {
		specs = append(specs, spec{path: path, line: v.fromClientLine(b.Line), condition: b.Condition, hits: b.HitCondition, log: b.LogMessage})
	}
	all, err := v.replace(ctx, func(b *breakpoint) bool { return b.path == path }, "breakpoint", specs)
	return dap.SetBreakpointsResponseBody{Breakpoints: all}, err
}

// setFunctionBreakpoints replaces the breakpoints at functions.
func (v *server) setFunctionBreakpoints(ctx context.Context, args dap.SetFunctionBreakpointsArguments) (any, error) {
	const kind = "function breakpoint"
	var specs []spec
	for _, b := range args.Breakpoints {
		specs = append(specs, spec{function: b.Name, condition: b.Condition, hits: b.HitCondition})
	}
	all, err := v.replace(ctx, func(b *breakpoint) bool { return b.kind == kind }, kind, specs)
	return dap.SetFunctionBreakpointsResponseBody{Breakpoints: all}, err
}

// setInstructionBreakpoints replaces the breakpoints at addresses.
func (v *server) setInstructionBreakpoints(ctx context.Context, args dap.SetInstructionBreakpointsArguments) (any, error) {
	const kind = "instruction breakpoint"
	var specs []spec
	for _, b := range args.Breakpoints {
		addr, err := inspect.ParseAddress(b.InstructionReference)
		if err != nil {
			return nil, err
		}
		specs = append(specs, spec{address: addr + uint64(b.Offset), condition: b.Condition, hits: b.HitCondition})
	}
	all, err := v.replace(ctx, func(b *breakpoint) bool { return b.kind == kind }, kind, specs)
	return dap.SetInstructionBreakpointsResponseBody{Breakpoints: all}, err
}

// foreignBase is added to the numbers of the engine for the breakpoints of
// others, which then differ from those of the client.
const foreignBase = 1 << 20

// tellForeignBreakpoints tells a client that shares a session which breakpoints
// others have set and cleared.
func (v *server) tellForeignBreakpoints() {
	if v.Role == session.Owner {
		return
	}
	t := &v.breakpoints
	now := map[int]dap.Breakpoint{}
	err := v.locked(context.Background(), func() error {
		for id, b := range v.s.Breakpoints.ByID {
			if t.byEngine(id) == nil {
				w := dap.Breakpoint{Id: foreignBase + id, Verified: true, Message: "of the agent"}
				v.locate(&w, b.Places)
				now[id] = w
			}
		}
		return nil
	})
	if err != nil {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(now)) {
		if _, known := t.foreign[id]; !known {
			v.out.event("breakpoint", dap.BreakpointEventBody{Reason: "new", Breakpoint: now[id]})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(t.foreign)) {
		if _, there := now[id]; !there {
			v.out.event("breakpoint", dap.BreakpointEventBody{Reason: "removed", Breakpoint: t.foreign[id]})
		}
	}
	t.foreign = now
}

// A dataID identifies the memory of a data breakpoint, in JSON.
type dataID struct {
	Address uint64 `json:"address"`
	Size    int    `json:"size"`
	Mask    []byte `json:"mask,omitempty"` // the bits of a bit-field
}

// dataBreakpointInfo tells which memory a variable or an expression is in.
func (v *server) dataBreakpointInfo(ctx context.Context, args dap.DataBreakpointInfoArguments) (any, error) {
	p, err := v.target(ctx, args.VariablesReference, args.Name, args.FrameId)
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
	if v.s.Target.Process != nil {
		info.AccessTypes = append(info.AccessTypes, "readWrite")
	}
	return info, err
}

// setDataBreakpoints replaces the breakpoints on memory.
func (v *server) setDataBreakpoints(ctx context.Context, args dap.SetDataBreakpointsArguments) (any, error) {
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
	all, err := v.replace(ctx, func(b *breakpoint) bool { return b.size != 0 }, reasonData, specs)
	return dap.SetDataBreakpointsResponseBody{Breakpoints: all}, err
}

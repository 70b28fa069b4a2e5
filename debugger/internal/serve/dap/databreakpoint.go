package dap

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/go-dap"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
)

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

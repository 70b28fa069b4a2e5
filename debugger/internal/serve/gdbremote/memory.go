package gdbremote

import (
	"context"
	"encoding/hex"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/gdbremote/packet"
)

// readMemory handles m. At the end of readable memory it returns fewer bytes than
// requested. Errors are numbers: gdb 13 takes a text for data.
func (ob *objects) readMemory(ctx context.Context, args string) ([]byte, error) {
	addr, size, err := parsePair(args)
	if err != nil {
		return nil, err
	}
	answer, err := ob.client.inside(ctx, func() ([]byte, error) {
		b := make([]byte, min(size, packet.MaxSize/2))
		n, err := ob.client.s.Target.View.ReadMemory(addr, b)
		if n == 0 && err != nil {
			return nil, err
		}
		return hex.AppendEncode(nil, b[:n]), nil
	})
	if err != nil {
		err = errAddress
	}
	return answer, err
}

// writeMemory handles M, whose data is in hexadecimal.
func (ob *objects) writeMemory(ctx context.Context, args string) ([]byte, error) {
	place, digits, ok := strings.Cut(args, ":")
	b, err := hex.DecodeString(digits)
	if !ok || err != nil {
		return nil, errArgument
	}
	return ob.write(ctx, place, b)
}

// writeBinary handles X.
func (ob *objects) writeBinary(ctx context.Context, args string) ([]byte, error) {
	place, b, ok := strings.Cut(args, ":")
	if !ok {
		return nil, errArgument
	}
	return ob.write(ctx, place, []byte(b))
}

func (ob *objects) write(ctx context.Context, place string, b []byte) ([]byte, error) {
	addr, size, err := parsePair(place)
	if err != nil || size != uint64(len(b)) {
		return nil, errArgument
	}
	return ob.client.inside(ctx, func() ([]byte, error) {
		if len(b) == 0 { // clients send it to find out whether X is supported
			return []byte("OK"), nil
		}
		if err := ob.client.requireWritable(); err != nil {
			return nil, err
		}
		if _, err := ob.client.s.WriteMemory(addr, b); err != nil {
			return nil, err
		}
		return []byte("OK"), nil
	})
}

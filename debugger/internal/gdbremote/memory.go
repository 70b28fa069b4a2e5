package gdbremote

import (
	"context"
	"encoding/hex"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/gdbremote/packet"
)

// readMemory answers m. Less than was asked for is returned where memory ends.
// All errors are numbers: gdb 13 takes a text for bytes.
func (v *server) readMemory(ctx context.Context, args string) ([]byte, error) {
	addr, size, err := parsePair(args)
	if err != nil {
		return nil, err
	}
	answer, err := v.inside(ctx, func() ([]byte, error) {
		b := make([]byte, min(size, packet.MaxSize/2))
		n, err := v.s.View.ReadMemory(addr, b)
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

// writeMemory answers M, whose bytes are in hexadecimal.
func (v *server) writeMemory(ctx context.Context, args string) ([]byte, error) {
	place, digits, ok := strings.Cut(args, ":")
	b, err := hex.DecodeString(digits)
	if !ok || err != nil {
		return nil, errArgument
	}
	return v.write(ctx, place, b)
}

// writeBinary answers X.
func (v *server) writeBinary(ctx context.Context, args string) ([]byte, error) {
	place, b, ok := strings.Cut(args, ":")
	if !ok {
		return nil, errArgument
	}
	return v.write(ctx, place, []byte(b))
}

func (v *server) write(ctx context.Context, place string, b []byte) ([]byte, error) {
	addr, size, err := parsePair(place)
	if err != nil || size != uint64(len(b)) {
		return nil, errArgument
	}
	return v.inside(ctx, func() ([]byte, error) {
		if len(b) == 0 { // clients find out with it whether X is there
			return []byte("OK"), nil
		}
		if err := v.requireWritable(); err != nil {
			return nil, err
		}
		if _, err := v.s.WriteMemory(addr, b); err != nil {
			return nil, err
		}
		return []byte("OK"), nil
	})
}

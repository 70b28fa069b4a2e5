package dap

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/google/go-dap"

	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// maxMemory bounds the memory in an answer.
const maxMemory = 1 << 20

// place returns the address of a memory reference with an offset in bytes.
func place(reference string, offset int) (uint64, error) {
	addr, err := inspect.ParseAddress(reference)
	return addr + uint64(offset), err
}

// readMemory returns memory up to the first byte that cannot be read.
func (l *looks) readMemory(_ context.Context, args dap.ReadMemoryArguments) (any, error) {
	addr, err := place(args.MemoryReference, args.Offset)
	switch {
	case err != nil:
		return nil, err
	case args.Count < 0:
		return nil, errors.New("count must not be negative")
	}
	b := make([]byte, min(args.Count, maxMemory))
	n, err := l.client.s.Target.View.ReadMemory(addr, b)
	body := dap.ReadMemoryResponseBody{Address: plain.Hex(addr), Data: base64.StdEncoding.EncodeToString(b[:n])}
	if err != nil {
		body.UnreadableBytes = len(b) - n
	}
	return body, nil
}

// writeMemory writes all bytes or none.
func (l *looks) writeMemory(_ context.Context, args dap.WriteMemoryArguments) (any, error) {
	addr, err := place(args.MemoryReference, args.Offset)
	if err != nil {
		return nil, err
	}
	b, err := base64.StdEncoding.DecodeString(args.Data)
	if err != nil {
		return nil, fmt.Errorf("data is not in base64: %w", err)
	}
	if err := l.client.requireWritable(); err != nil {
		return nil, err
	}
	n, err := l.client.s.WriteMemory(addr, b)
	return dap.WriteMemoryResponseBody{BytesWritten: n}, err
}

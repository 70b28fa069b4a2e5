package looktools

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// readArgs holds the arguments of read_memory.
type readArgs struct {
	Address string `json:"address" min:"1" doc:"0x404010, $rsp or &total" bounds:"enforced"`
	Length  int    `json:"length,omitempty" default:"64" min:"1" max:"65536" bounds:"enforced"`
	sessiontools.SessionArg
}

// contents is the answer of read_memory.
type contents struct {
	State   *session.State `json:"state,omitempty" doc:"Where the process is, if an answer has not told so already"`
	Address string         `json:"address"`
	Hex     string         `json:"hex" doc:"The bytes in hexadecimal"`
	Missing int            `json:"missing,omitempty" doc:"How many bytes behind these cannot be read"`

	from uint64
	data []byte
}

func (c contents) AuditAddress() string { return c.Address }

// Text returns a line for each 16 bytes.
func (c contents) Text() string {
	var b strings.Builder
	for at := 0; at < len(c.data); at += 16 {
		row := c.data[at:min(at+16, len(c.data))]
		if at > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%#x: %-47s  %s", c.from+uint64(at), SpacedHex(row), ascii(row))
	}
	if c.Missing > 0 {
		fmt.Fprintf(&b, "\n(%d more bytes cannot be read)", c.Missing)
	}
	return b.String()
}

// SpacedHex formats bytes in hexadecimal, separated by spaces.
func SpacedHex(row []byte) string { return fmt.Sprintf("% x", row) }

// ascii returns printable characters, and dots in place of others.
func ascii(row []byte) string {
	out := make([]byte, len(row))
	for i, c := range row {
		out[i] = '.'
		if c >= ' ' && c < 0x7f {
			out[i] = c
		}
	}
	return string(out)
}

// readMemory reads memory, up to the first byte that cannot be read.
func (t *Group) readMemory(ctx context.Context, _ *mcp.Call, s *session.Session, args readArgs) (contents, error) {
	addr, err := s.Inspector.Address(ctx, args.Address)
	if err != nil {
		return contents{}, err
	}
	data := make([]byte, min(args.Length, sessiontools.MaxMemory))
	n, err := s.Target.View.ReadMemory(addr, data)
	if err != nil && (n == 0 || !target.IsAccess(err)) {
		return contents{}, err
	}
	data = data[:n]
	s.Target.MaskDisplayed(addr, data)
	return contents{
		State: s.ChangedState(), Address: plain.Hex(addr), Hex: hex.EncodeToString(data), Missing: args.Length - n,
		from: addr, data: data,
	}, nil
}

// writeArgs holds the arguments of write_memory.
type writeArgs struct {
	Address string `json:"address" min:"1" doc:"0x404010, $rsp or &total" bounds:"enforced"`
	Hex     string `json:"hex,omitempty" max:"131072" doc:"Such as 2a000000" bounds:"enforced"`
	Value   string `json:"value,omitempty" doc:"To assign, instead of hex"`
	sessiontools.SessionArg
}

// Validate checks rules that the schema cannot express.
func (a writeArgs) Validate() error {
	if (a.Hex == "") == (a.Value == "") {
		return errors.New("either hex or value is needed")
	}
	if _, err := decodeHex(a.Hex); err != nil {
		return errors.New("hex must be pairs of hexadecimal digits")
	}
	return nil
}

// decodeHex parses hexadecimal bytes, with or without spaces.
func decodeHex(text string) ([]byte, error) {
	return hex.DecodeString(strings.Join(strings.Fields(text), ""))
}

// written is the answer of write_memory.
type written struct {
	State   *session.State `json:"state,omitempty" doc:"Where the process is, if an answer has not told so already"`
	Address string         `json:"address"`
	Length  int            `json:"length" doc:"How many bytes were written"`
	Before  string         `json:"before" doc:"What was there before, in hexadecimal"`
}

func (w written) AuditAddress() string { return w.Address }

// Text describes what was written.
func (w written) Text() string {
	return fmt.Sprintf("Wrote %d bytes at %s (before: %s)", w.Length, w.Address, w.Before)
}

// writeMemory writes memory of a live process at the present.
func (t *Group) writeMemory(ctx context.Context, _ *mcp.Call, s *session.Session, args writeArgs) (written, error) {
	if t.NoWrite {
		return written{}, failure.Denied("the server was started with --no-write")
	}
	addr, data, err := assignment(ctx, s, args)
	if err != nil {
		return written{}, err
	}
	before := make([]byte, len(data))
	if _, err := s.Target.View.ReadMemory(addr, before); err != nil {
		return written{}, err
	}
	n, err := s.WriteMemory(addr, data)
	if err != nil {
		return written{}, err
	}
	s.Target.MaskDisplayed(addr, before)
	return written{State: s.ChangedState(), Address: plain.Hex(addr), Length: n, Before: hex.EncodeToString(before)}, nil
}

// assignment returns the bytes to write, and where.
func assignment(ctx context.Context, s *session.Session, args writeArgs) (addr uint64, data []byte, err error) {
	if args.Value == "" {
		data, _ = decodeHex(args.Hex) // checked by Validate
		addr, err = s.Inspector.Address(ctx, args.Address)
		return addr, data, err
	}
	to, err := s.Inspector.Evaluate(ctx, args.Address, 0, 0)
	if err != nil {
		return 0, nil, inspect.WrapError(err)
	}
	o, ok := to.Object()
	addr, inMemory := o.Address()
	if !ok || !inMemory {
		return 0, nil, failure.Argumentf("%s is not in memory; name a variable, a member or an element", args.Address)
	}
	for _, e := range o.Type.Enumerators() {
		if e.Name == args.Value {
			data, err = o.Encode(uint64(e.Value), 0)
			return addr, data, inspect.WrapError(err)
		}
	}
	value, err := s.Inspector.Evaluate(ctx, args.Value, 0, 0)
	if err != nil {
		return 0, nil, inspect.WrapError(err)
	}
	data, err = value.Assign(o)
	return addr, data, inspect.WrapError(err)
}

package looktools

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// findArgs holds the arguments of find.
type findArgs struct {
	Kind    string `json:"kind" enum:"function|variable|type|module|text|hex|pointer"`
	Pattern string `json:"pattern" min:"1" max:"4096" doc:"Name, part of one, with * and ?; or content of memory" bounds:"enforced"`
	From    string `json:"from,omitempty" doc:"The last next"`
	sessiontools.SessionArg
}

// Validate checks rules that the schema cannot express.
func (a findArgs) Validate() error {
	if _, err := strconv.ParseUint(a.From, 0, 64); err != nil && a.From != "" {
		return errors.New("from must be the next of an answer")
	}
	if a.Kind == "hex" {
		if _, err := decodeHex(a.Pattern); err != nil {
			return errors.New("pattern must be pairs of hexadecimal digits")
		}
	}
	return nil
}

// from returns where to continue, 0 for the beginning.
func (a findArgs) from() uint64 {
	n, _ := strconv.ParseUint(a.From, 0, 64) // checked by Validate
	return n
}

// found is the answer of find.
type found struct {
	State    *session.State `json:"state,omitempty" doc:"Where the process is, if an answer has not told so already"`
	Found    []finding      `json:"found"`
	Total    int            `json:"total,omitempty" doc:"Of names"`
	Searched uint64         `json:"searched,omitempty" doc:"Bytes of memory, at most"`
	Next     string         `json:"next,omitempty" doc:"from of the call that continues"`
}

// A finding is a name or a place in memory.
type finding struct {
	Address string `json:"address,omitempty"`
	Name    string `json:"name,omitempty" doc:"Or what is at the address"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Module  string `json:"module,omitempty"`
	End     string `json:"end,omitempty" doc:"Of a module"`
	BuildID string `json:"build_id,omitempty"`
	Memory  string `json:"memory,omitempty" doc:"What is there, as text"`
	Unread  string `json:"unread,omitempty" doc:"Why a module has no names"`
}

// maxFound is the maximum number of findings in an answer.
const maxFound = 100

// Text returns a line for each finding.
func (f found) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s", plain.Count(len(f.Found), "result"))
	if f.Total > len(f.Found) {
		fmt.Fprintf(&b, " of %s", plain.Thousands(int64(f.Total)))
	}
	for _, each := range f.Found {
		b.WriteString("\n" + each.text())
	}
	if f.Next != "" {
		fmt.Fprintf(&b, "\n(continued with from %s)", f.Next)
	}
	return b.String()
}

func (f finding) text() string {
	var parts []string
	for _, part := range []string{f.Address, f.Name} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if f.End != "" {
		parts = append(parts, "to "+f.End)
	}
	if f.File != "" {
		parts = append(parts, fmt.Sprintf("%s:%d", f.File, f.Line))
	}
	if f.Module != "" {
		parts = append(parts, "in "+f.Module)
	}
	if f.BuildID != "" {
		parts = append(parts, "build "+f.BuildID)
	}
	if f.Memory != "" {
		parts = append(parts, strconv.QuoteToASCII(f.Memory))
	}
	if f.Unread != "" {
		parts = append(parts, "without names: "+f.Unread)
	}
	return plain.Line(strings.Join(parts, "  "))
}

// find searches names or memory.
func (t *Group) find(ctx context.Context, _ *mcp.Call, s *session.Session, args findArgs) (found, error) {
	var answer found
	var err error
	switch args.Kind {
	case "module":
		answer, err = findModules(s, args)
	case "text":
		answer, err = findBytes(ctx, s, args, []byte(args.Pattern), 1)
	case "hex":
		pattern, _ := decodeHex(args.Pattern) // checked by Validate
		answer, err = findBytes(ctx, s, args, pattern, 1)
	case "pointer":
		var to uint64
		if to, err = s.Inspector.Address(ctx, args.Pattern); err != nil {
			return found{}, inspect.WrapError(err)
		}
		answer, err = findBytes(ctx, s, args, binary.LittleEndian.AppendUint64(nil, to), 8)
	default:
		answer, err = findNames(ctx, s, args)
	}
	answer.State = s.ChangedState()
	return answer, err
}

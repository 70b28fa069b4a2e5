package gdbremote

import (
	"context"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/gdbremote/packet"
)

// objects maps the objects of qXfer (section E.4) to functions that return their
// contents.
var objects = map[string]func(v *server, annex string) ([]byte, error){
	"features":       (*server).features,
	"auxv":           (*server).auxv,
	"exec-file":      (*server).executable,
	"libraries-svr4": (*server).libraries,
	"siginfo":        (*server).siginfo,
	"threads":        (*server).threadsXML,
}

// transfer handles qXfer:OBJECT:read:ANNEX:OFFSET,LENGTH. The reply is m and a
// part of the object, or l and its last part.
func (v *server) transfer(ctx context.Context, args string) ([]byte, error) {
	parts := strings.Split(args, ":")
	if len(parts) != 4 || parts[1] != "read" || objects[parts[0]] == nil {
		return []byte{}, nil
	}
	offset, length, err := parsePair(parts[3])
	if err != nil {
		return nil, err
	}
	return v.inside(ctx, func() ([]byte, error) {
		object, err := objects[parts[0]](v, parts[2])
		if err != nil {
			return nil, err
		}
		rest := object[min(offset, uint64(len(object))):]
		if n := min(length, packet.MaxSize/4); n < uint64(len(rest)) {
			return append([]byte("m"), rest[:n]...), nil
		}
		return append([]byte("l"), rest...), nil
	})
}

// features returns the target description.
func (v *server) features(annex string) ([]byte, error) {
	if annex != "target.xml" {
		return nil, errno("E00") // E00 reports an invalid annex
	}
	return description(v.vectorWidth()), nil
}

// executable returns the path of the program. The annex may specify a process;
// there is only one.
func (v *server) executable(string) ([]byte, error) {
	return []byte(v.s.Target.Executable()), nil
}

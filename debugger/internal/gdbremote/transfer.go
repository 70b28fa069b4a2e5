package gdbremote

import (
	"context"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/gdbremote/packet"
)

// objects return the contents of the objects of qXfer (section E.4).
var objects = map[string]func(v *server, annex string) ([]byte, error){
	"features":       (*server).features,
	"auxv":           (*server).auxv,
	"exec-file":      (*server).executable,
	"libraries-svr4": (*server).libraries,
	"siginfo":        (*server).siginfo,
	"threads":        (*server).threadsXML,
}

// transfer answers qXfer:OBJECT:read:ANNEX:OFFSET,LENGTH with a part of an
// object: m and the part, or l and the last one.
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

// features is the target description.
func (v *server) features(annex string) ([]byte, error) {
	if annex != "target.xml" {
		return nil, errno("E00") // "the annex is invalid"
	}
	return description(v.vectorWidth()), nil
}

// executable is the path of the program. The annex may name a process; there
// is only one.
func (v *server) executable(string) ([]byte, error) {
	return []byte(v.s.Executable()), nil
}

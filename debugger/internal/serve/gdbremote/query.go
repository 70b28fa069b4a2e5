package gdbremote

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/gdbremote/packet"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
)

// serverFeatures is the reply to qSupported without the size (section E.4).
const serverFeatures = "QStartNoAckMode+;QCatchSyscalls+;multiprocess+;swbreak+;hwbreak+;exec-events+;vContSupported+;" +
	"ReverseStep+;ReverseContinue+;" +
	"qXfer:features:read+;qXfer:auxv:read+;qXfer:exec-file:read+;qXfer:libraries-svr4:read+;" +
	"qXfer:siginfo:read+;qXfer:threads:read+"

// supported handles qSupported and records the features of the client.
func (v *server) supported(_ context.Context, args string) ([]byte, error) {
	for feature := range strings.SplitSeq(strings.TrimPrefix(args, ":"), ";") {
		switch feature {
		case "multiprocess+":
			v.client.features.multiprocess = true
		case "swbreak+":
			v.client.features.swbreak = true
		case "hwbreak+":
			v.client.features.hwbreak = true
		case "exec-events+":
			v.client.features.exec = true
		}
	}
	return fmt.Appendf(nil, "PacketSize=%x;%s", packet.MaxSize, serverFeatures), nil
}

// stopAcks handles QStartNoAckMode. The client still acknowledges the reply,
// which is ignored.
func (v *server) stopAcks(context.Context, string) ([]byte, error) {
	v.client.conn.StopAcks()
	return []byte("OK"), nil
}

// attached handles qAttached, which asks whether quitting detaches from the
// process or kills it.
func (v *server) attached(context.Context, string) ([]byte, error) {
	if v.client.Role == session.Owner && v.client.s.Target.Launched() {
		return []byte("0"), nil
	}
	return []byte("1"), nil
}

// triple is lldb's name of the processor and system.
var triple = hex.EncodeToString([]byte("x86_64-unknown-linux-gnu"))

// hostInfo handles qHostInfo, an extension of lldb.
func (v *server) hostInfo(context.Context, string) ([]byte, error) {
	return []byte("triple:" + triple + ";ptrsize:8;endian:little;"), nil
}

// processInfo handles qProcessInfo, an extension of lldb.
func (v *server) processInfo(context.Context, string) ([]byte, error) {
	return fmt.Appendf(nil, "pid:%x;triple:%s;ostype:linux;ptrsize:8;endian:little;", v.client.s.Target.ProcessID(), triple), nil
}

// memoryRegion handles qMemoryRegionInfo, an extension of lldb. It returns the
// mapping at an address, or the unmapped space up to the next one.
func (ob *objects) memoryRegion(ctx context.Context, args string) ([]byte, error) {
	addr, err := parseHex(args)
	if err != nil {
		return nil, err
	}
	return ob.client.inside(ctx, func() ([]byte, error) {
		maps, err := ob.client.s.Target.View.Maps()
		if err != nil {
			return nil, err
		}
		if m, ok := maps.Find(addr); ok {
			permissions := ""
			for _, p := range []struct {
				allowed bool
				letter  string
			}{{m.Read, "r"}, {m.Write, "w"}, {m.Execute, "x"}} {
				if p.allowed {
					permissions += p.letter
				}
			}
			return fmt.Appendf(nil, "start:%x;size:%x;permissions:%s;name:%x;", m.Start, m.End-m.Start, permissions, m.Path), nil
		}
		end := uint64(0) // 2^64
		for _, m := range maps {
			if m.Start > addr && (end == 0 || m.Start < end) {
				end = m.Start
			}
		}
		return fmt.Appendf(nil, "start:%x;size:%x;", addr, end-addr), nil
	})
}

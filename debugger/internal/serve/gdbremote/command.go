package gdbremote

import (
	"context"
	"strings"
)

// A command handles one kind of packet. handle gets the packet without the prefix
// and returns the reply, or nil for none.
type command struct {
	prefix string
	handle func(v *server, ctx context.Context, args string) ([]byte, error)
}

// commands lists the supported packets (sections E.2 and E.4). The first matching
// prefix applies. Other packets get an empty reply, which means that they are not
// supported.
var commands = []command{
	{"?", (*server).haltReason},
	{"g", (*server).readRegisters},
	{"G", (*server).writeRegisters},
	{"m", (*server).readMemory},
	{"M", (*server).writeMemory},
	{"p", (*server).readRegister},
	{"P", (*server).writeRegister},
	{"X", (*server).writeBinary},
	{"H", (*server).selectThread},
	{"T", (*server).isAlive},
	{"Z", (*server).insert},
	{"z", (*server).remove},
	{"bc", (*server).continueBack},
	{"bs", (*server).stepBack},
	{"c", (*server).resume},
	{"C", (*server).resumeWithSignal},
	{"s", (*server).stepOnce},
	{"S", (*server).stepWithSignal},
	{"vCont?", constant("vCont;c;C;s;S;r")},
	{"vCont;", (*server).resumeThreads},
	{"vKill", (*server).kill},
	{"k", (*server).kill},
	{"D", (*server).detach},
	{"QStartNoAckMode", (*server).stopAcks},
	{"QCatchSyscalls:", (*server).catchSyscalls},
	{"qSupported", (*server).supported},
	{"qXfer:", (*server).transfer},
	{"qAttached", (*server).attached},
	{"qC", (*server).currentThread},
	{"qfThreadInfo", (*server).listThreads},
	{"qsThreadInfo", constant("l")},
	{"qThreadExtraInfo,", (*server).threadName},
	{"qSymbol:", constant("OK")},
	{"qRcmd,", (*server).monitor},
	{"qHostInfo", (*server).hostInfo},
	{"qShlibInfoAddr", (*server).libraryInfo},
	{"qProcessInfo", (*server).processInfo},
	{"qMemoryRegionInfo:", (*server).memoryRegion},
}

// constant returns a handler with a fixed reply.
func constant(reply string) func(*server, context.Context, string) ([]byte, error) {
	return func(*server, context.Context, string) ([]byte, error) { return []byte(reply), nil }
}

// handle returns the reply to a packet.
func (v *server) handle(ctx context.Context, text string) ([]byte, error) {
	for _, c := range commands {
		if rest, ok := strings.CutPrefix(text, c.prefix); ok {
			return c.handle(v, ctx, rest)
		}
	}
	return []byte{}, nil
}

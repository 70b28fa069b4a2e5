package gdbremote

import (
	"context"
	"strings"
)

// A command handles one kind of packet. handle gets the packet without the prefix
// and returns the reply, or nil for none.
type command struct {
	prefix string
	handle func(ctx context.Context, args string) ([]byte, error)
}

// table returns the supported packets (sections E.2 and E.4). The first matching
// prefix applies. Other packets get an empty reply, which means that they are not
// supported.
func (v *server) table() []command {
	return []command{
		{"?", v.replies.haltReason},
		{"g", v.registers.readRegisters},
		{"G", v.registers.writeRegisters},
		{"m", v.objects.readMemory},
		{"M", v.objects.writeMemory},
		{"p", v.registers.readRegister},
		{"P", v.registers.writeRegister},
		{"X", v.objects.writeBinary},
		{"H", v.threads.selectThread},
		{"T", v.threads.isAlive},
		{"Z", v.breakpoints.insert},
		{"z", v.breakpoints.remove},
		{"bc", v.moves.continueBack},
		{"bs", v.moves.stepBack},
		{"c", v.moves.resume},
		{"C", v.moves.resumeWithSignal},
		{"s", v.moves.stepOnce},
		{"S", v.moves.stepWithSignal},
		{"vCont?", constant("vCont;c;C;s;S;r")},
		{"vCont;", v.moves.resumeThreads},
		{"vKill", v.kill},
		{"k", v.kill},
		{"D", v.detach},
		{"QStartNoAckMode", v.stopAcks},
		{"QCatchSyscalls:", v.breakpoints.catchSyscalls},
		{"qSupported", v.supported},
		{"qXfer:", v.objects.transfer},
		{"qAttached", v.attached},
		{"qC", v.threads.currentThread},
		{"qfThreadInfo", v.threads.listThreads},
		{"qsThreadInfo", constant("l")},
		{"qThreadExtraInfo,", v.threads.threadName},
		{"qSymbol:", constant("OK")},
		{"qRcmd,", v.monitor.run},
		{"qHostInfo", v.hostInfo},
		{"qShlibInfoAddr", v.objects.libraryInfo},
		{"qProcessInfo", v.processInfo},
		{"qMemoryRegionInfo:", v.objects.memoryRegion},
	}
}

// constant returns a handler with a fixed reply.
func constant(reply string) func(context.Context, string) ([]byte, error) {
	return func(context.Context, string) ([]byte, error) { return []byte(reply), nil }
}

// handle returns the reply to a packet.
func (v *server) handle(ctx context.Context, text string) ([]byte, error) {
	for _, c := range v.commands {
		if rest, ok := strings.CutPrefix(text, c.prefix); ok {
			return c.handle(ctx, rest)
		}
	}
	return []byte{}, nil
}

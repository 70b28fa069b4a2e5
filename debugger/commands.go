package debugger

import (
	"context"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/features"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/guard"
	"github.com/triptych-mcp/triptych/debugger/internal/limits/budget"
	"github.com/triptych-mcp/triptych/debugger/internal/limits/filecache"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recording"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/accounttools"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/dap"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/expose"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/gdbremote"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/traveltools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
)

// What the family needs of the rest of the program, and its data.
type (
	// Accounts return the plans of callers.
	Accounts = accounttools.Accounts
	// An Account is a plan and how much of it is used.
	Account = accounttools.Account
	// A Trail is the audit trail as the family reads it.
	Trail = accounttools.Trail
	// An AuditFilter selects records.
	AuditFilter = accounttools.AuditFilter
	// An AuditRecord is the record of one request.
	AuditRecord = accounttools.AuditRecord
	// A Proof is the result of verifying the trail.
	Proof = accounttools.Proof
)

// A recorded run of a program.
type (
	// A RecordedProgram is a program to record.
	RecordedProgram = recording.Program
	// A RecordedRun describes how the program ended, and what was recorded.
	RecordedRun = recording.Result
	// A RecordingRing is a file that keeps the newest part of a recording.
	RecordingRing = recfile.Ring
)

// NewRecordingRing returns a ring in a regular file that is open for reading and writing,
// which may have a number of bytes, or as many as the format permits if that is 0. The path
// may not lead to a symbolic link.
func NewRecordingRing(file *os.File, path string, limit int64) *RecordingRing {
	return recfile.NewRing(file, path, limit)
}

// RecordProgram runs a program and writes a recording of it to w, which
// debugger/open_trace opens. If the program does what cannot be recorded, the recording
// ends before that, and the program runs on.
func RecordProgram(ctx context.Context, p RecordedProgram, w io.Writer) (RecordedRun, error) {
	if known, err := openKnown(); err == nil { // a recording takes more time otherwise
		p.Known = known
		defer func() { _ = known.Close() }()
	}
	return recording.Record(ctx, p, w)
}

// What recordings have found out about files is kept in this folder, below that of the user's caches.
const (
	knownFolder = "triptych/record"
	knownSize   = 64 << 20
)

func openKnown() (*filecache.Cache, error) {
	caches, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	return filecache.Open(filepath.Join(caches, knownFolder), knownSize)
}

// RecordProcess records a process that runs, and writes a recording of it to w, until the
// process ends, does what cannot be recorded, or ctx is done. The process then runs on.
func RecordProcess(ctx context.Context, pid int, w io.Writer) (RecordedRun, error) {
	return recording.Attach(ctx, pid, w)
}

// PackRecording adds to a recording the files that its replay needs, and replaces the file. The
// errors of left say which files could not be added.
func PackRecording(path string) (left []error, err error) {
	return traveltools.PackRecording(path)
}

// A trace with the symbols of its program, and what is shown of it.
type (
	// A TraceFile is an open trace. It belongs to one goroutine.
	TraceFile = traveltools.TraceFile
	// A TraceSummary describes a trace.
	TraceSummary = traveltools.TraceSummary
	// A TraceMoment is the current thread at a position.
	TraceMoment = traveltools.TraceMoment
	// A TraceWrite is a step that has written memory.
	TraceWrite = traveltools.TraceWrite
)

// TraceOptions say how a trace is opened.
type TraceOptions struct {
	Executable string     // of the program if it is no longer where it was, else ""
	Root       string     // a folder with a copy of the process's files, or ""
	Memory     FileMemory // that the trace and debug information may take
	Getenv     func(string) string
	Log        *slog.Logger
}

// OpenTrace opens a trace that debugger/export_trace has written in the format
// binary.
func OpenTrace(ctx context.Context, path string, o TraceOptions) (*TraceFile, error) {
	memory, err := o.Memory.limit(o.Getenv)
	if err != nil {
		return nil, err
	}
	return traveltools.OpenTrace(ctx, path, o.Executable, o.Root, budget.New(memory).Open("local"), o.Log)
}

// A RecordingSummary describes a recording.
type RecordingSummary = traveltools.RecordingSummary

// SummarizeRecording describes a recording without a replay. It returns nil for a file that is none.
func SummarizeRecording(ctx context.Context, path string, o TraceOptions) (*RecordingSummary, error) {
	memory, err := o.Memory.limit(o.Getenv)
	if err != nil {
		return nil, err
	}
	return traveltools.SummarizeRecording(ctx, path, budget.New(memory).Open("local"))
}

// ServeDAP serves one client of the Debug Adapter Protocol, such as an editor.
// Its requests launch and attach begin a session, which ends with the
// conversation, both by calls of tools: call calls one and returns the id of
// the session. The family is open.
func (c *Config) ServeDAP(ctx context.Context, conn io.ReadWriteCloser, call func(ctx context.Context, tool string, arguments map[string]any) (string, error), log *slog.Logger) error {
	return dap.Serve(ctx, conn, c.sessions, nil, dap.Options{Role: session.Owner, NoWrite: c.Live.NoWrite, Log: log, Call: call})
}

// A Connection is that of a debugger of the user's own to a session of an
// agent.
type Connection = expose.Connection

// ListenLocal listens for a debugger of the user who runs this program, at
// unix:PATH, HOST:PORT with a loopback address, or "" for a socket in a folder
// of its own. Clients of other users are disconnected.
func ListenLocal(ctx context.Context, address string, log *slog.Logger) (net.Listener, error) {
	return expose.Listen(ctx, address, log)
}

// IsListenAddress reports whether a text is an address for ListenLocal.
func IsListenAddress(text string) bool { return expose.IsAddress(text) }

// ServeGDB serves a session to one client of the GDB remote protocol, which
// owns it: its kill and detach end the session. With record, continue records
// every instruction. The family is open.
func (c *Config) ServeGDB(ctx context.Context, conn io.ReadWriteCloser, session string, record bool, log *slog.Logger) error {
	return expose.ServeOwner(ctx, conn, c.sessions, session, gdbremote.Options{NoWrite: c.Live.NoWrite, Record: record, Log: log})
}

// GuardCommand is the first argument with which the debugger starts its own
// executable as the guard of a process that it debugs.
const GuardCommand = guard.Command

// GuardMain runs the guard and returns its exit status. A program that serves
// this family must call it when its first argument is GuardCommand.
func GuardMain() int { return guard.Main() }

// A Lack is a feature that the debugger misses on a machine, and what that costs.
type Lack = features.Lack

// Lacks returns what the debugger misses on this machine.
func Lacks() []Lack { return features.This().Lacks() }

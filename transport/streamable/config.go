package streamable

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
)

// A Config says what is served and within which bounds. Zero numbers mean the
// defaults.
type Config struct {
	Server *mcp.Server
	// Authenticator decides who may come in.
	Auth Authenticator
	// Loopback says that the listener is bound to loopback: only loopback
	// names are then taken as Host and Origin, besides those listed.
	Loopback bool
	// Hosts are further names that Host may have, without a port. Without
	// Loopback, an empty list takes every name.
	Hosts []string
	// Origins are the web origins whose pages may call, such as
	// "https://example.com". Only they get CORS headers.
	Origins []string

	MaxBody int64 // bytes of a body; 16 MiB
	// BodyMemory bounds the bytes of bodies that are being received or answered:
	// of one principal, 32 MiB and never less than two bodies of the largest
	// size, and BodyMemoryTotal of all, 96 MiB and never less than for two
	// principals.
	BodyMemory, BodyMemoryTotal int64
	BodyGrace                   time.Duration // before a body has to arrive at BodyRate; 5 s
	BodyRate                    int64         // bytes a second; 16 KiB

	// AnswerMemory bounds the bytes of answers and messages that clients have not
	// read yet: of one principal, 32 MiB, and AnswerMemoryTotal of all, 96 MiB.
	AnswerMemory, AnswerMemoryTotal int64

	Timeout     time.Duration // how long a request may go without a sign of life; 60 s
	KeepAlive   time.Duration // between comments on quiet streams; 15 s
	WriteTime   time.Duration // how long a client may take for one write; 30 s
	SessionIdle time.Duration // how long a session lives without requests; 1 h
	// MaxSessions bounds the sessions of one principal, 1000, and
	// MaxSessionsTotal those of all, 10,000.
	MaxSessions, MaxSessionsTotal int
	// MaxStreams bounds the open streams of one principal, 1000, and
	// MaxStreamsTotal those of all, 4000.
	MaxStreams, MaxStreamsTotal int

	// Barrier returns when all that was recorded is safe; no answer leaves
	// before. Its error is the answer in place of a result. It bounds its own
	// time; the context ends with nothing. Nil needs no waiting.
	Barrier func(context.Context) error
	// Logger gets what an operator should see; nil discards it.
	Logger *slog.Logger
}

func (c Config) withDefaults() Config {
	c.MaxBody = cmp.Or(c.MaxBody, 16<<20)
	c.BodyMemory = max(cmp.Or(c.BodyMemory, 32<<20), 2*c.MaxBody+2)
	c.BodyMemoryTotal = max(cmp.Or(c.BodyMemoryTotal, 96<<20), 2*c.BodyMemory)
	c.AnswerMemory = cmp.Or(c.AnswerMemory, 32<<20)
	c.AnswerMemoryTotal = max(cmp.Or(c.AnswerMemoryTotal, 96<<20), 2*c.AnswerMemory)
	c.BodyGrace = cmp.Or(c.BodyGrace, 5*time.Second)
	c.BodyRate = cmp.Or(c.BodyRate, 16<<10)
	c.Timeout = cmp.Or(c.Timeout, time.Minute)
	c.KeepAlive = cmp.Or(c.KeepAlive, 15*time.Second)
	c.WriteTime = cmp.Or(c.WriteTime, 30*time.Second)
	c.SessionIdle = cmp.Or(c.SessionIdle, time.Hour)
	c.MaxSessions = cmp.Or(c.MaxSessions, 1000)
	c.MaxSessionsTotal = cmp.Or(c.MaxSessionsTotal, 10_000)
	c.MaxStreams = cmp.Or(c.MaxStreams, 1000)
	c.MaxStreamsTotal = cmp.Or(c.MaxStreamsTotal, 4000)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Barrier == nil {
		c.Barrier = func(context.Context) error { return nil }
	}
	return c
}

// An Authenticator decides who may come in and how much they may ask.
type Authenticator interface {
	// Authenticate says who sends the request, or why it is refused. It may set
	// headers of the answer.
	Authenticate(header http.Header, r *http.Request) (mcp.Caller, *Refusal)
	// Charge takes a bill from the caller's quota, or refuses all of it. It may
	// set headers of the answer, and does for an empty bill. The revision is
	// the one that governs the requests.
	Charge(ctx context.Context, header http.Header, caller *mcp.Caller, rev *mcp.Revision, bill Bill) *Refusal
	// Valid reports whether a caller who was let in still would be. Streams
	// ask before they send more.
	Valid(ctx context.Context, caller *mcp.Caller) bool
	// Forbidden says what a refusal for want of a right adds to the answer's
	// headers.
	Forbid(header http.Header, err *jsonrpc.Error)
}

// A Bill is what a body costs.
type Bill struct {
	Calls      int // requests that the quota counts
	Handshakes int // requests that begin something, which no quota counts
	Broken     int // 1 for a body that is refused, or some of its requests for want of a right
	// Probe is set for a body that is a single ping or server/discover. It is
	// answered even while keys cannot be looked up or requests be counted.
	Probe bool
}

// A Refusal is an HTTP status and the error in its body.
type Refusal struct {
	Status int
	Error  *jsonrpc.Error
}

func refusal(status int, err *jsonrpc.Error) *Refusal { return &Refusal{Status: status, Error: err} }

// invalid is a refusal of what is no valid request.
func invalid(status int, format string, args ...any) *Refusal {
	return refusal(status, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "Invalid Request").WithDetails(format, args...))
}

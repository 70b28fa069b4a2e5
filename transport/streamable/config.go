package streamable

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/peer"
)

// A Config holds the server and the bounds of an endpoint. Server and Auth are required.
// Zero numbers mean the defaults. [Handler.SetLimits] changes some of them later.
type Config struct {
	Server *mcp.Server
	// Auth authenticates every request.
	Auth Authenticator
	// Loopback is set when the listener is bound to a loopback address. Then
	// only loopback names, Hosts and Origins are accepted as Host and Origin.
	Loopback bool
	// Hosts are further names that Host may have, without a port. Without
	// Loopback, an empty list accepts every name.
	Hosts []string
	// Origins are the web origins whose pages may call, such as
	// "https://example.com". Only they get CORS headers.
	Origins []string

	// SessionSecret is a secret that several servers share, or that a server finds again
	// when it is restarted. Sessions then go on at any of them: their ids hold what
	// initialize has negotiated. Nil makes sessions that end with this server.
	SessionSecret []byte
	// Peers tells the other servers what concerns their part of a session; nil without.
	Peers Peers
	// Forward passes requests on to servers that have in memory what they need, as the
	// rest of a stream or what Owner says; nil answers all here.
	Forward *peer.Client
	// Owner returns the tag of the server with the state that a call of a tool needs:
	// this one's, another one's, "" if any server may answer, or [peer.UnknownOwner].
	Owner func(ctx context.Context, caller *host.Caller, view *host.Preview) string

	MaxBody int64 // bytes of a body; 16 MiB
	// BodyMemory bounds the bytes of bodies that are being received or answered:
	// of one principal, 32 MiB and never less than two bodies of the largest
	// size, and BodyMemoryTotal of all, 96 MiB and never less than for two
	// principals.
	BodyMemory, BodyMemoryTotal int64
	BodyGrace                   time.Duration // the longest pause before the next part of a body; 5 s
	BodyRate                    int64         // bytes a second; 16 KiB

	// AnswerMemory bounds the bytes of answers and messages that clients have not
	// read yet: of one principal, 32 MiB, and AnswerMemoryTotal of all, 96 MiB.
	AnswerMemory, AnswerMemoryTotal int64

	Timeout     time.Duration // how long a request may run without sending a message; 60 s
	KeepAlive   time.Duration // between comments on a stream without events; 15 s
	WriteTime   time.Duration // for one write to a client; 30 s
	SessionIdle time.Duration // after which a session without requests ends; 1 h
	// MaxSessions bounds the sessions of one principal, 1000, and
	// MaxSessionsTotal those of all, 10,000.
	MaxSessions, MaxSessionsTotal int
	// MaxStreams bounds the open streams of one principal, 1000, and
	// MaxStreamsTotal those of all, 4000.
	MaxStreams, MaxStreamsTotal int

	// Refused is called with every refusal that the authenticator has not reported; nil
	// ignores them. The caller has no principal if it was not authenticated.
	Refused func(ctx context.Context, caller *host.Caller, refused *Refusal)
	// Barrier is called before each answer is sent, when its requests have run. It returns
	// when their records are on disk; its error replaces the result, as the client must not
	// believe in a change that a crash could undo. It must bound its own time: the context is
	// never cancelled. Nil does not wait.
	Barrier func(context.Context) error
	// Logger receives what an operator should see; nil discards it.
	Logger *slog.Logger
}

// withDefaults returns the configuration with the default in each field that is zero. A
// budget in all is at least twice that of one key, and that of one key holds two bodies
// of the largest size: otherwise a single request could not be served.
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

// An Authenticator authenticates requests and charges them to a quota. For each request
// Authenticate is called once, first; Charge when the body was checked or refused; Valid and
// Forbid as needed. The methods are called from many goroutines.
type Authenticator interface {
	// Authenticate returns the caller that sent the request, or the reason to refuse it, and
	// then as much of the caller as is known, for the audit trail. It may set headers of the
	// answer. The body is not read yet, and it must not read it.
	Authenticate(header http.Header, r *http.Request) (host.Caller, *Refusal)
	// Charge takes all of a bill from the caller's quota, or nothing of it and returns the
	// refusal. It sets the headers that show the quota, also for an empty bill, which is never
	// refused. The revision governs the form of a refusal.
	Charge(ctx context.Context, header http.Header, caller *host.Caller, rev *host.Revision, bill Bill) *Refusal
	// Valid reports whether the credentials of a caller are still good. Streams
	// ask before they send more.
	Valid(ctx context.Context, caller *host.Caller) bool
	// Forbid sets the headers of an answer with status 403, for an error that names a missing
	// scope: WWW-Authenticate with the scope (RFC 6750, section 3.1).
	Forbid(header http.Header, err *jsonrpc.Error)
}

// A Bill counts the requests of one body. All of it is charged at once, before the first
// of them runs.
type Bill struct {
	Calls      int // requests that count against the quota
	Handshakes int // initialize requests, which no quota counts
	Broken     int // 1 for a body that is invalid, or has requests without the right to make them
	// Probe is set for a body that is a single ping or server/discover. It is
	// answered even while keys cannot be looked up or requests be counted.
	Probe bool
}

// A Refusal is the status and the error of an answer to a request that is not served. It
// is sent as application/json, with the id of the request if that is known.
type Refusal struct {
	Status int
	Error  *jsonrpc.Error
	// Reported is set by an authenticator that has reported the refusal, or left the
	// report out because there are too many.
	Reported bool
}

// Reason returns the reason for people.
func (r *Refusal) Reason() string {
	var data struct {
		Details string `json:"details"`
	}
	if json.Unmarshal(r.Error.Data, &data) == nil && data.Details != "" {
		return r.Error.Message + ": " + data.Details
	}
	return r.Error.Message
}

// refusal returns a Refusal; headers such as Retry-After are the caller's to set.
func refusal(status int, err *jsonrpc.Error) *Refusal { return &Refusal{Status: status, Error: err} }

// invalid returns a refusal with the error Invalid Request (-32600) and the reason in
// data.details.
func invalid(status int, format string, args ...any) *Refusal {
	return refusal(status, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "Invalid Request").WithDetails(format, args...))
}

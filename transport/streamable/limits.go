package streamable

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/internal/budget"
)

// SetLimits changes the limits of memory, bodies, sessions and streams to those of a
// configuration; its other fields are ignored, and zero numbers mean the defaults. What is
// held already stays: a lower limit refuses what comes next. It may be called while requests
// are served.
func (h *Handler) SetLimits(cfg Config) {
	cfg = cfg.withDefaults()
	h.storeLimits(&cfg)
	h.bodies.SetLimits(budget.Limits{Owner: cfg.BodyMemory, Total: cfg.BodyMemoryTotal})
	h.answers.SetLimits(budget.Limits{Owner: cfg.AnswerMemory, Total: cfg.AnswerMemoryTotal})
	h.streams.SetLimits(budget.Limits{Owner: int64(cfg.MaxStreams), Total: int64(cfg.MaxStreamsTotal)})
	h.sessions.count.SetLimits(budget.Limits{Owner: int64(cfg.MaxSessions), Total: int64(cfg.MaxSessionsTotal)})
}

// storeLimits stores the limits that are compared with elsewhere: budgets have copies of their
// own.
func (h *Handler) storeLimits(cfg *Config) {
	h.maxBody.Store(cfg.MaxBody)
	h.maxSessions.Store(int64(cfg.MaxSessions))
	h.bodyMemory.Store(cfg.BodyMemory)
	h.answerMemory.Store(cfg.AnswerMemory)
}

// fit calls take, which takes memory for an answer of the owner, until it succeeds or
// nothing is left that is only kept for clients that may resume: first parked streams go,
// then the messages of the sessions' own streams. It returns the last error of take.
func (h *Handler) fit(owner string, take func() error) error {
	err := take()
	for err != nil && h.parked.dropOldest(owner, err) {
		err = take()
	}
	if err != nil && h.sessions.trim(owner, err) {
		err = take()
	}
	return err
}

// retryBudget is when a client may try again whose budget is used up: memory
// comes back as soon as answers are written.
const retryBudget = time.Second

// overBudget refuses what a budget has no room for: a principal's own with 429, that of
// all with 503, both with Retry-After. of names what there is too much of, in the plural;
// limit is that of one principal.
func (h *Handler) overBudget(header http.Header, err error, rev *host.Revision, of string, limit int64) *Refusal {
	header.Set("Retry-After", strconv.Itoa(int(retryBudget.Seconds())))
	if errors.Is(err, budget.ErrOwner) {
		told := &host.QuotaError{
			Limit: limit, Used: limit, ResetAt: time.Now().Add(retryBudget),
			Details: "a key may have so many bytes of " + of + " at one time",
		}
		return refusal(http.StatusTooManyRequests, told.Wire(rev))
	}
	return refusal(http.StatusServiceUnavailable,
		jsonrpc.Errorf(jsonrpc.CodeInternalError, "Internal error").WithDetails("the server has no memory for more %s now", of))
}

// retryStreams is the Retry-After of a client that has too many streams. It is long because
// streams are: an open one may last for hours.
const retryStreams = time.Minute

// tooManyStreams refuses another stream: a principal's own limit with 429, that of the
// server with 503, both with Retry-After.
func (h *Handler) tooManyStreams(header http.Header, err error, rev *host.Revision) *Refusal {
	header.Set("Retry-After", strconv.Itoa(int(retryStreams.Seconds())))
	if errors.Is(err, budget.ErrTotal) {
		return refusal(http.StatusServiceUnavailable,
			jsonrpc.Errorf(jsonrpc.CodeInternalError, "Internal error").WithDetails("the server has too many open streams"))
	}
	told := &host.QuotaError{
		Limit: int64(h.cfg.MaxStreams), Used: int64(h.cfg.MaxStreams), ResetAt: time.Now().Add(retryStreams),
		Details: "a key may have so many open streams at most",
	}
	return refusal(http.StatusTooManyRequests, told.Wire(rev))
}

// The bounds of requests that are passed on to other servers at one time, for one
// principal and in all.
const (
	maxForwards      = 250
	maxForwardsTotal = 1000
)

package streamable

import "github.com/triptych-mcp/triptych/transport/internal/budget"

// SetLimits changes the limits of memory, bodies, sessions and streams to those of a
// configuration; its other fields are ignored. What is held already stays.
func (h *Handler) SetLimits(cfg Config) {
	cfg = cfg.withDefaults()
	h.storeLimits(&cfg)
	h.bodies.SetLimits(budget.Limits{Owner: cfg.BodyMemory, Total: cfg.BodyMemoryTotal})
	h.answers.SetLimits(budget.Limits{Owner: cfg.AnswerMemory, Total: cfg.AnswerMemoryTotal})
	h.streams.SetLimits(budget.Limits{Owner: int64(cfg.MaxStreams), Total: int64(cfg.MaxStreamsTotal)})
	h.sessions.count.SetLimits(budget.Limits{Owner: int64(cfg.MaxSessions), Total: int64(cfg.MaxSessionsTotal)})
}

// storeLimits stores the limits that are compared with elsewhere.
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

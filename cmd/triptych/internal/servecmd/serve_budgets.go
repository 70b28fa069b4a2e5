package servecmd

import (
	"context"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/answers"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/rulesets/consumers"
	"github.com/triptych-mcp/triptych/transport/https"
	"github.com/triptych-mcp/triptych/transport/metrics"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// budgetFlags bound what the clients of a server can make it hold. The defaults
// fit a process of 512 MiB.
type budgetFlags struct {
	maxBody                    command.ByteSize
	bodies, bodiesEach         command.ByteSize
	answers, answersEach       command.ByteSize
	state, stateEach           command.ByteSize
	files, filesEach           command.ByteSize
	bodyRate                   command.ByteSize
	sessions, sessionsEach     int
	streams, streamsEach       int
	connections, perConnection int

	stored *answers.Files // that the sizes of files bound; nil where a store has the answers
}

func (f *budgetFlags) register(set *pflag.FlagSet) {
	f.maxBody, f.bodyRate = 16<<20, 16<<10
	f.bodies, f.bodiesEach = 96<<20, 32<<20
	f.answers, f.answersEach = 96<<20, 32<<20
	f.state, f.stateEach = 64<<20, 32<<20
	f.files, f.filesEach = answers.DefaultTotal, answers.DefaultEach
	set.Var(&f.maxBody, "max-body", "refuse requests of more than this `size`")
	set.Var(&f.bodyRate, "min-body-rate", "refuse bodies that arrive with less than this `size` a second")
	set.Var(&f.bodies, "body-memory", "hold bodies of requests up to this `size` in all")
	set.Var(&f.bodiesEach, "body-memory-per-key", "hold bodies of the requests of a key up to this `size`, at least twice --max-body")
	set.Var(&f.answers, "answer-memory", "hold answers and messages that clients have not read up to this `size` in all")
	set.Var(&f.answersEach, "answer-memory-per-key", "hold those of a key up to this `size`")
	set.Var(&f.state, "state-memory", "hold subscriptions, listen requests and tasks up to this `size` in all")
	set.Var(&f.stateEach, "state-memory-per-key", "hold those of a key up to this `size`")
	set.Var(&f.files, "answer-files", "store answers too large to send in files up to this `size` in all\nThey take at most a tenth of the free disk.")
	set.Var(&f.filesEach, "answer-files-per-key", "store those of a key up to this `size`")
	set.IntVar(&f.sessions, "max-sessions", 10_000, "the `number` of sessions at one time")
	set.IntVar(&f.sessionsEach, "max-sessions-per-key", 1000, "the `number` of sessions of a key")
	set.IntVar(&f.streams, "max-streams", 4000, "the `number` of open event streams at one time")
	set.IntVar(&f.streamsEach, "max-streams-per-key", 1000, "the `number` of open event streams of a key")
	set.IntVar(&f.connections, "max-connections", 10_000, "the `number` of connections at one time; idle ones make room for new ones")
	set.IntVar(&f.perConnection, "max-connections-per-address", 1000, "the `number` of connections from one IPv4 address or IPv6 /64, but for a --proxy")
}

// check refuses bounds under which nothing could be served.
func (f *budgetFlags) check() error {
	for _, bound := range []struct {
		flag string
		n    int64
	}{
		{"max-body", int64(f.maxBody)}, {"min-body-rate", int64(f.bodyRate)},
		{"body-memory", int64(f.bodies)}, {"body-memory-per-key", int64(f.bodiesEach)},
		{"answer-memory", int64(f.answers)}, {"answer-memory-per-key", int64(f.answersEach)},
		{"state-memory", int64(f.state)}, {"state-memory-per-key", int64(f.stateEach)},
		{"answer-files", int64(f.files)}, {"answer-files-per-key", int64(f.filesEach)},
		{"max-sessions", int64(f.sessions)}, {"max-sessions-per-key", int64(f.sessionsEach)},
		{"max-streams", int64(f.streams)}, {"max-streams-per-key", int64(f.streamsEach)},
		{"max-connections", int64(f.connections)}, {"max-connections-per-address", int64(f.perConnection)},
	} {
		if bound.n <= 0 {
			return cmderr.UsageErrorf("--%s must be more than 0", bound.flag)
		}
	}
	return nil
}

func (f *budgetFlags) ofEndpoint(cfg *streamable.Config) {
	cfg.MaxBody, cfg.BodyRate = int64(f.maxBody), int64(f.bodyRate)
	cfg.BodyMemoryTotal, cfg.BodyMemory = int64(f.bodies), int64(f.bodiesEach)
	cfg.AnswerMemoryTotal, cfg.AnswerMemory = int64(f.answers), int64(f.answersEach)
	cfg.MaxSessionsTotal, cfg.MaxSessions = f.sessions, f.sessionsEach
	cfg.MaxStreamsTotal, cfg.MaxStreams = f.streams, f.streamsEach
}

func (f *budgetFlags) ofListener(cfg *https.Config) {
	cfg.MaxConnections, cfg.MaxPerAddress = f.connections, f.perConnection
}

func (f *budgetFlags) ofServer(cfg *mcp.Config) {
	cfg.StateMemoryTotal, cfg.StateMemory = int(f.state), int(f.stateEach)
	if f.stored, _ = cfg.Oversize.(*answers.Files); f.stored != nil {
		f.stored.Limit(int64(f.files), int64(f.filesEach))
	}
}

// show adds the budgets of a server to its metrics.
func (f *budgetFlags) show(m *metrics.Metrics, server *mcp.Server, endpoint *streamable.Handler, web *https.Server) {
	for name, usage := range map[string]func() streamable.Usage{
		"bodies": endpoint.BodyUsage, "answers": endpoint.AnswerUsage, "sessions": endpoint.SessionUsage, "streams": endpoint.StreamUsage,
	} {
		m.AddBudget(name, func() metrics.Budget {
			u := usage()
			return metrics.Budget{Used: u.Used, Limit: u.Limit, Refused: u.Refused}
		})
	}
	m.AddBudget("connections", func() metrics.Budget {
		u := web.Connections()
		return metrics.Budget{Used: int64(u.Open), Limit: int64(u.Limit), Refused: u.Refused + u.Closed}
	})
	m.AddBudget("buffers", func() metrics.Budget {
		u := web.Buffers()
		return metrics.Budget{Used: u.Used, Limit: u.Limit, Refused: u.Refused}
	})
	m.AddBudget("forms", func() metrics.Budget {
		u := web.FormUsage()
		return metrics.Budget{Used: u.Used, Limit: u.Limit, Refused: u.Refused}
	})
	m.AddBudget("state", func() metrics.Budget {
		u := server.StateUsage()
		return metrics.Budget{Used: u.Used, Limit: u.Limit, Refused: u.Refused}
	})
	m.AddBudget("tasks", func() metrics.Budget {
		u := server.TaskUsage()
		return metrics.Budget{Used: u.Used, Limit: u.Limit, Refused: u.Refused}
	})
	if f.stored == nil {
		return
	}
	m.AddBudget("answer_files", func() metrics.Budget {
		used, limit, refused := f.stored.Usage()
		return metrics.Budget{Used: used, Limit: limit, Refused: refused}
	})
}

// showLag adds to the metrics who is behind, if consumers are recorded. It is read
// when the metrics are.
func (a commands) showLag(m *metrics.Metrics) {
	if !a.app.Configs.Rulesets.Consumers {
		return
	}
	lag := cachedFor(time.Second, func() consumers.Lag {
		ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
		defer stop()
		lag, _, _ := a.app.Configs.Rulesets.Lag(ctx) // a store that is away shows no lag
		return lag
	})
	m.AddGauge("triptych_ruleset_consumers", "Projects and clients that read rulesets.", func() float64 { return float64(lag().Consumers) })
	m.AddGauge("triptych_ruleset_consumers_behind", "Those with a revision that is not the newest.", func() float64 { return float64(lag().Behind) })
	m.AddGauge("triptych_ruleset_lag_seconds", "The longest time since a newer revision than a consumer has.", func() float64 { return lag().Longest.Seconds() })
}

// cachedFor returns a function that calls another one at most once in some time, so that
// gauges that are read together share one answer.
func cachedFor[T any](age time.Duration, read func() T) func() T {
	var mu sync.Mutex
	var value T
	var until time.Time
	return func() T {
		mu.Lock()
		defer mu.Unlock()
		if time.Now().After(until) {
			value, until = read(), time.Now().Add(age)
		}
		return value
	}
}

package main

import (
	"context"
	"slices"

	"github.com/triptych-mcp/triptych/conformance/bench/load"
)

// revision is the one that all peers speak.
const revision = "2025-11-25"

// The names of the peers, as they stand in the tables.
const (
	ours    = "ours"
	ceiling = "ceiling"
	gosdk   = "Go SDK"
	mcpgo   = "mcp-go"
	node    = "TypeScript SDK"
)

// A goal is the target ratio of our rate to a peer's.
type goal struct {
	peer  string
	times float64
}

// echoes are the rows over standard input and output.
var echoes = []struct {
	name   string
	size   int // bytes of text
	rich   bool
	window int
	goals  []goal
}{
	{"echo 32 B, 1 in flight", 32, false, 1, []goal{{ceiling, .85}, {gosdk, 9}}},
	{"echo 32 B, 16 in flight", 32, false, 16, []goal{{ceiling, .5}, {gosdk, 120}, {mcpgo, 25}}},
	{"echo 32 B, 256 in flight", 32, false, 256, []goal{{ceiling, .4}, {gosdk, 100}}},
	{"echo 10 KiB, 16 in flight", 10 << 10, false, 16, []goal{{ceiling, .4}, {gosdk, 25}}},
	{"echo 10 KiB of escapes and UTF-8, 16 in flight", 10 << 10, true, 16, []goal{{gosdk, 15}}},
	{"echo 1 MiB, 1 in flight", 1 << 20, false, 1, []goal{{ceiling, .4}, {gosdk, 25}}},
	{"echo 1 MiB of escapes and UTF-8, 1 in flight", 1 << 20, true, 1, []goal{{gosdk, 15}}},
}

// stdio measures the engine: a server of our packages with the tool echo, as the
// peers have it, and the whole program's list of tools.
func (b *bench) stdio(ctx context.Context) error {
	for _, e := range echoes {
		message := load.Echo(load.Text(e.size, e.rich))
		var list []contender
		for _, s := range b.pipes() {
			list = append(list, contender{s, []load.Message{message}})
		}
		readings, err := contest(ctx, b.pace(), e.window, list...)
		if err != nil {
			return err
		}
		b.addGoals("stdio", e.name, readings, e.goals)
		b.addLimits(e.name, ceiling, readings[1:], e.goals)
	}
	return b.list(ctx)
}

// addLimits adds a row for each goal that is set beside a peer: how far what does
// no work gets, of the readings the one named limit.
func (b *bench) addLimits(what, limit string, readings []reading, goals []goal) {
	best := readings[slices.IndexFunc(readings, func(r reading) bool { return r.Name == limit })]
	for i := range readings {
		for _, g := range goals {
			if g.peer == readings[i].Name && g.peer != limit {
				b.addRate(limits, what, g.times, &best, &readings[i])
			}
		}
	}
}

// addGoals adds a row for each goal, and one without a goal for every other peer.
func (b *bench) addGoals(part, what string, readings []reading, goals []goal) {
	for i := range readings[1:] {
		theirs, want := &readings[i+1], 0.0
		for _, g := range goals {
			if g.peer == theirs.Name {
				want = g.times
			}
		}
		b.addRate(part, what, want, &readings[0], theirs)
	}
}

// pipes are the servers over standard input and output, ours first.
func (b *bench) pipes() []load.Server {
	list := []load.Server{
		{Name: ours, Argv: []string{b.program("echo")}},
		{Name: ceiling, Argv: []string{b.program("ceiling")}},
		{Name: gosdk, Argv: []string{b.program("gosdk")}},
		{Name: mcpgo, Argv: []string{b.program("mcpgo")}},
	}
	if script := b.nodeScript(); script != "" {
		list = append(list, load.Server{Name: node, Argv: []string{"node", script}})
	}
	for i := range list {
		list[i].Revision = revision
	}
	return list
}

// list measures the list of all our tools beside servers with the same, one of
// which has it at hand.
func (b *bench) list(ctx context.Context) error {
	imitation, err := b.imitation(ctx)
	if err != nil {
		return err
	}
	atHand := load.Server{Name: ceiling, Argv: []string{b.program("ceiling"), "-like", b.toolsFile()}, Revision: revision}
	message := []load.Message{load.List()}
	readings, err := contest(ctx, b.pace(), 16,
		contender{b.triptych(), message},
		contender{atHand, message},
		contender{imitation, message})
	if err != nil {
		return err
	}
	b.addGoals("stdio", "tools/list of all families, 16 in flight", readings, []goal{{gosdk, 50}})
	return nil
}

package main

import (
	"fmt"

	"github.com/triptych-mcp/triptych/conformance/bench/figures"
)

// A unit determines the format of a value.
type unit int

const (
	each  unit = iota // seconds, as a time
	often             // seconds, as how many a second
	size              // bytes
	plain             // a number
)

// A plan is a row of the page: something of ours beside something of another's,
// and what we want of it. The page says why.
type plan struct {
	part, what string
	measure    string
	as         unit
	beside     string // a side, "" for none
	theirs     string // its measure, if that is another one
	goal       float64
	kind       goalKind
}

// A goalKind is the quantity that a goal limits.
type goalKind int

const (
	faster    goalKind = iota // at least so many times as fast as the other
	slower                    // at most so many times the time of the other
	atMost                    // at most so much, whatever others take
	shortness                 // at most so many times the other's bytes
)

// plans are the rows, in order.
var plans = []plan{
	{part: "looking", what: "attach to a C program, to the first stack", measure: "attach C", beside: gdb, goal: 10},
	{part: "looking", what: "attach to a C++ program, to the first stack", measure: "attach C++", beside: gdb},
	{part: "looking", what: "attach to a Go program, to the first stack", measure: "attach Go", beside: gdb, goal: 3},
	{part: "looking", what: "the same", measure: "attach Go", beside: delve, goal: 2},
	{part: "looking", what: "ten frames after a step, C", measure: "frames C", beside: gdb, goal: 1},
	{part: "looking", what: "the same", measure: "frames C", beside: quiet},
	{part: "looking", what: "ten frames after a step, C++", measure: "frames C++", beside: gdb, goal: 1},
	{part: "looking", what: "ten frames after a step, Go", measure: "frames Go", beside: gdb, goal: 1},
	{part: "looking", what: "the same", measure: "frames Go", beside: delve, goal: 1},
	{part: "looking", what: "local variables, C", measure: "locals C", beside: gdb},
	{part: "looking", what: "the same", measure: "locals C", beside: quiet},
	{part: "looking", what: "local variables, C++", measure: "locals C++", beside: gdb},
	{part: "looking", what: "local variables, Go", measure: "locals Go", beside: gdb},
	{part: "looking", what: "the same", measure: "locals Go", beside: delve, goal: 1},

	{part: "stepping", what: "one step a call, C; gdb does not record", measure: "single C", as: often, beside: gdb, goal: .5},
	{part: "stepping", what: "the same", measure: "single C", as: often, beside: quiet},
	{part: "stepping", what: "one step a call, C++; gdb does not record", measure: "single C++", as: often, beside: gdb, goal: .5},
	{part: "stepping", what: "one step a call, Go; gdb does not record", measure: "single Go", as: often, beside: gdb, goal: .5},
	{part: "stepping", what: "the same; Delve does not record", measure: "single Go", as: often, beside: delve, goal: 2},
	{part: "stepping", what: "next over DAP, C, a call in every second line; neither records", measure: "next", beside: gdb, goal: 1.5, kind: slower},
	{part: "stepping", what: "many steps in a call, both record", measure: "steps", as: often, beside: gdb, goal: 5},
	{part: "stepping", what: "the same, gdb does not record", measure: "steps", as: often, beside: gdb, theirs: "steps plain"},
	{part: "stepping", what: "the same, a loop of ptrace that does nothing else", measure: "steps", as: often, beside: bare},

	{part: "recording", what: "continue, a loop of integers", measure: "record", as: often, beside: gdb, goal: 300},
	{part: "recording", what: "continue, the ordinary program; gdb cannot, see below", measure: "record ordinary", as: often, beside: bare, goal: 10},
	{part: "recording", what: "memory of an instruction, a loop of integers", measure: "bytes", as: size, goal: 40, kind: atMost},
	{part: "recording", what: "the same", measure: "bytes", as: size, beside: gdb, kind: shortness},
	{part: "recording", what: "memory of an instruction, the ordinary program", measure: "bytes ordinary", as: size, goal: 64, kind: atMost},

	{part: "live", what: "a loop of integers", measure: "live", beside: alone, goal: 10, kind: slower},
	{part: "live", what: "the same, an instruction", measure: "live instruction", as: often, beside: interpreted, goal: 100},
	{part: "live", what: "the same, memory of an instruction", measure: "live bytes", as: size, goal: .01, kind: atMost},
	{part: "live", what: "the first step back after that", measure: "live back", beside: recording, goal: 3, kind: slower},
	{part: "live", what: "what wrote a variable last, 160 million instructions before", measure: "live written", beside: recording, goal: 3, kind: slower},

	{part: "back", what: "one step back a call", measure: "back singly", as: often, beside: gdb, goal: .5},
	{part: "back", what: "many steps back in a call", measure: "back", as: often, beside: gdb, goal: 100},
	{part: "back", what: "continue backwards to the beginning, instructions", measure: "beginning", as: often, beside: gdb},
	{part: "back", what: "what wrote a variable last, at the other end of the record", measure: "written", beside: gdb},

	{part: "answering", what: "what a call of 100,000 instructions did", measure: "call trace", goal: .15, kind: atMost},
	{part: "answering", what: "the same, the first question about the program", measure: "call trace first"},
	{part: "answering", what: "the same, the first of 100 such calls in a record", measure: "call trace far"},
	{part: "answering", what: "who called whom, an instruction", measure: "call tree", goal: 2e-7, kind: atMost},
	{part: "answering", what: "past a breakpoint whose condition does not hold, hits", measure: "condition", as: often, beside: gdb, goal: 1},

	{part: "running", what: "what a stop with a snapshot costs, 16 MiB", measure: "stop 16", goal: .005, kind: atMost},
	{part: "running", what: "the same, 64 MiB", measure: "stop 64", goal: .005, kind: atMost},
	{part: "running", what: "the same, 192 MiB", measure: "stop 192", goal: .005, kind: atMost},
	{part: "running", what: "the same, 256 MiB", measure: "stop 256", goal: .005, kind: atMost},
	{part: "running", what: "the same beside a stop without a snapshot, 64 MiB", measure: "stop 64", beside: gdb, kind: slower},
	{part: "running", what: "500 pages between two stops, 16 MiB; gdb does not track", measure: "round 16", beside: gdb, kind: slower},
	{part: "running", what: "the same, 64 MiB", measure: "round 64", beside: gdb, kind: slower},
	{part: "running", what: "the same, 256 MiB", measure: "round 256", beside: gdb, kind: slower},
	{part: "running", what: "500 pages while it runs on, 16 MiB", measure: "running 16", beside: alone, goal: 2, kind: slower},
	{part: "running", what: "the same, 256 MiB", measure: "running 256", beside: alone, goal: 2, kind: slower},

	{part: "whole", what: "a loop of integers", measure: "whole integers", beside: alone, goal: 5, kind: slower},
	{part: "whole", what: "the same", measure: "whole integers", beside: emulator, goal: 1, kind: slower},
	{part: "whole", what: "the same, an instruction", measure: "whole instruction integers", as: often, beside: interpreted, goal: 100},
	{part: "whole", what: "the same, bytes of the recording for an instruction", measure: "whole bytes integers", as: size, goal: .01, kind: atMost},
	{part: "whole", what: "sort of 4 MB", measure: "whole sort", beside: alone, goal: 5, kind: slower},
	{part: "whole", what: "the same", measure: "whole sort", beside: emulator, goal: 1, kind: slower},
	{part: "whole", what: "the same, bytes of the recording for an instruction", measure: "whole bytes sort", as: size, goal: 1, kind: atMost},
	{part: "whole", what: "gzip of 4 MB", measure: "whole gzip", beside: alone, goal: 5, kind: slower},
	{part: "whole", what: "the same", measure: "whole gzip", beside: emulator, goal: 1, kind: slower},
	{part: "whole", what: "the same, bytes of the recording for an instruction", measure: "whole bytes gzip", as: size, goal: 1, kind: atMost},
	{part: "whole", what: "sqlite3, 100,000 inserts", measure: "whole sqlite3", beside: alone, goal: 5, kind: slower},
	{part: "whole", what: "the same", measure: "whole sqlite3", beside: emulator, goal: 1, kind: slower},
	{part: "whole", what: "the same, bytes of the recording for an instruction", measure: "whole bytes sqlite3", as: size, goal: 1, kind: atMost},
	{part: "whole", what: "python3, computing", measure: "whole python3", beside: alone, goal: 5, kind: slower},
	{part: "whole", what: "the same", measure: "whole python3", beside: emulator, goal: 1, kind: slower},
	{part: "whole", what: "the same, an instruction", measure: "whole instruction python3", as: often, beside: interpreted, goal: 100},
	{part: "whole", what: "the same, bytes of the recording for an instruction", measure: "whole bytes python3", as: size, goal: 1, kind: atMost},
	{part: "whole", what: "cc1, a file of 2,000 lines", measure: "whole cc1", beside: alone, goal: 5, kind: slower},
	{part: "whole", what: "the same", measure: "whole cc1", beside: emulator, goal: 1, kind: slower},
	{part: "whole", what: "the same, bytes of the recording for an instruction", measure: "whole bytes cc1", as: size, goal: 1, kind: atMost},
	{part: "whole", what: "a Go program with 50 goroutines", measure: "whole goroutines", beside: alone, goal: 5, kind: slower},
	{part: "whole", what: "the same", measure: "whole goroutines", beside: emulator, goal: 1, kind: slower},
	{part: "whole", what: "the same, bytes of the recording for an instruction", measure: "whole bytes goroutines", as: size, goal: 1, kind: atMost},
	{part: "whole", what: "redis-server, 10,000 requests", measure: "whole redis-server", beside: alone, goal: 5, kind: slower},
	{part: "whole", what: "the same, bytes of the recording for an instruction", measure: "whole bytes redis-server", as: size, goal: 1, kind: atMost},
	{part: "whole", what: "the median of these programs, times alone", measure: "whole median", as: plain, goal: 2.5, kind: atMost},
	{part: "whole", what: "the worst of them", measure: "whole worst", as: plain, goal: 5, kind: atMost},
	{part: "whole", what: "a program of 0.1 s, from its start to its end", measure: "whole start", goal: 1, kind: atMost},
	{part: "whole", what: "hand-overs between two threads", measure: "whole hand-over", as: often, beside: pinned, goal: .2},
	{part: "whole", what: "seek to a random position, the 95th percentile", measure: "whole seek", goal: 1, kind: atMost},
	{part: "whole", what: "last_write of a variable that was written once, far from the end", measure: "whole written", beside: recording, goal: 3, kind: slower},
	{part: "whole", what: "reverse_continue to a breakpoint that was hit once, far from the end", measure: "whole reverse", beside: recording, goal: 3, kind: slower},
}

// A row is a plan with what was measured.
type row struct {
	Part, What    string
	Ours          string // with a unit, "not measured" if there is nothing
	Beside        string
	Theirs        string
	Measure       string // how many times
	Goal, Verdict string
	Met           bool
}

const notMeasured = "not measured"

// fill makes the row of a plan.
func (p *plan) fill(r readings) row {
	out := row{Part: p.part, What: p.what, Beside: p.beside, Goal: p.goalText()}
	mine, ok := r.of(p.measure, ours)
	if out.Ours = notMeasured; ok {
		out.Ours = p.show(mine)
	}
	theirMeasure := p.theirs
	if theirMeasure == "" {
		theirMeasure = p.measure
	}
	other, told := r.of(theirMeasure, p.beside)
	if p.beside != "" {
		if out.Theirs = notMeasured; told {
			out.Theirs = p.show(other)
		}
	}
	measure := mine
	if p.kind != atMost {
		ok = ok && told
		measure = r.ratio(p, theirMeasure)
	}
	if !ok {
		return out
	}
	if p.kind != atMost {
		out.Measure = figures.Times(measure)
	}
	if p.goal != 0 {
		out.Met = p.met(measure)
		out.Verdict = map[bool]string{true: "met", false: "**not met**"}[out.Met]
	}
	return out
}

// ratio returns the quantity that the plan's goal limits.
func (r readings) ratio(p *plan, theirs string) float64 {
	merged := readings{"": {ours: r[p.measure][ours], p.beside: r[theirs][p.beside]}}
	if p.kind == faster {
		return merged.times("", p.beside, ours)
	}
	return merged.times("", ours, p.beside)
}

// met is said without rounding a miss away.
func (p *plan) met(measure float64) bool {
	if p.kind == faster {
		return measure >= p.goal
	}
	return measure <= p.goal
}

func (p *plan) goalText() string {
	switch {
	case p.goal == 0:
		return ""
	case p.kind == atMost:
		return "≤ " + p.show(p.goal)
	case p.kind == faster:
		return fmt.Sprintf("≥ %g", p.goal)
	default:
		return fmt.Sprintf("≤ %g", p.goal)
	}
}

// show writes a value with its unit.
func (p *plan) show(v float64) string {
	switch p.as {
	case often:
		return figures.PerSecond(1 / v)
	case plain:
		return figures.Times(v)
	case size:
		return fmt.Sprintf("%.3g B", v)
	default:
		return figures.Duration(v)
	}
}

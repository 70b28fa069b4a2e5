package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
	"time"
)

// page is the name of the page in the folder of documents, and prefix what the
// names of its plots begin with.
const (
	page   = "debugger-performance.md"
	prefix = "debugger-performance-"
)

// A chapter is one table of the page.
type chapter struct {
	part, Title, Text string
	Rows              []row
}

// chapters are the tables, without their rows.
var chapters = []chapter{
	{part: "looking", Title: "Attach and look", Text: `Ours and gdb have been started before; to both the program is new. Delve's server
is started for the process, as it wants to be, so its start is in its figure. The
frames are asked for after each of some steps, the local variables each time that
the process has come to a function again.`},
	{part: "stepping", Title: "Steps", Text: `Every step of ours is recorded. Many steps in one call are interpreted where that
can be done.`},
	{part: "recording", Title: "Record", Text: `Instructions a second of a process that runs until a function is called for the
nth time, in one call, by a server with ` + "`--no-translate`" + `. The ordinary program formats, copies and compares text and
computes with floating-point numbers; gdb's ` + "`record full`" + ` ends in the first
of its functions that uses the C library, so that our figure stands beside
that of a loop that steps and does not even record.`},
	{part: "live", Title: "Record a live process", Text: "`debugger/continue` with `record`, by translation in place, of a process that was attached to\n" +
		"and runs until a function is called for the nth time. *Alone* it runs as far without\n" +
		"recording. *Recorded step by step* is the table above, made with `--no-translate`. The\n" +
		"first step back replays what was recorded."},
	{part: "back", Title: "Go back", Text: `On the way back ours moves what is looked at; gdb writes memory and registers of
the process. gdb looks for what wrote a variable by a watchpoint in software: on
the way back through its record, those of the processor see nothing.`},
	{part: "answering", Title: "Calls and conditions", Text: `The function calls another one 5,000 times, whose argument the condition of a
breakpoint compares. No other debugger here tells what a recorded call did.`},
	{part: "running", Title: "Run freely", Text: `The program writes to 500 random pages of its heap in each round and stops at a
breakpoint; ours takes a snapshot there, so that one can go back to every stop.
What a stop costs is the time of the call without that of the round, as the
program itself measures it. The rounds' own times are longer between stops that
are close together, because each first write to a page after a snapshot is a
fault in the kernel. A program that runs on pays that once for each page; the
last rows are means over a stretch without stops, with those first writes.`},
	{part: "whole", Title: "Record whole programs", Text: "Programs from their start to their end under `triptych record`, alone, and emulated by\n" +
		"`qemu-x86_64`, which records nothing. What is compared is the processor time of the\n" +
		"program with all that runs it: one thread runs at a time, so that programs which use\n" +
		"several processors alone lose those, too. *Recorded step by step* is the table Record\n" +
		"above. Hand-overs are by a mutex and condition variables. The last three rows go\n" +
		"through a recording of 5 billion instructions (QUICK=1: 0.4), of which a billion (10 million) are behind the one write\n" +
		"and the one hit."},
}

// text is the page.
const text = `# Performance of the debugger

Made by ` + "`make bench-debugger`" + `{{if .Quick}} with QUICK=1, so its figures are rough,{{end}} in {{.Minutes}}, on {{.Machine.Date}}, at {{.Machine.Commit}}:
{{.Machine.CPU}}, {{.Machine.Cores}} cores, Linux {{.Machine.Kernel}}, {{.Machine.Versions}}.

Ours is ` + "`triptych stdio --families debugger --history-memory {{.MiB}}`" + `, asked in MCP over pipes;
gdb is one process, asked in its machine interface (` + "`gdb -nx --interpreter=mi3`" + `)
over pipes; Delve is ` + "`dlv attach --headless`" + `, asked in JSON over TCP. All run on the
same machine and debug fresh processes of the same programs
(` + "`conformance/bench/debugbench/testdata`" + `, compiled with -O0, the heap with -O1). They take turns,
{{.Pace.Turns}} rounds; a figure is the median of the rounds, and *times* that of each
round's ratio, so that a machine that is slow for a while is slow for all. The
time is that of the exchange, without what it takes to decode the answer.

A user notices when a goal is missed. A single question must not be slower than gdb's answer; a
single step may take twice as long as one that gdb does not record, since it is recorded and each
call is a signed record of the trail, and a client's own part of a call is longer than both. A stop
may take 5 ms, a tree of ten million instructions two seconds. A program that is recorded whole
may take 5 times its own time, 2.5 in the median, and no longer than below an emulator that
records nothing. Rows without a goal explain others.
Of {{.Goals}} goals {{.Met}} are met, {{.Missed}} are not, {{.Open}} could not be measured. *times* is
the ratio of our speed to theirs; for memory, and for gdb and *alone* in the last
table, it is the ratio of our value to theirs.
{{if .Notes}}
{{range .Notes}}- {{.}}
{{end}}{{end}}{{range .Chapters}}
## {{.Title}}

{{.Text}}

| what | ours | beside | | times | goal | |
| --- | ---: | --- | ---: | ---: | ---: | --- |
{{range .Rows}}| {{.What}} | {{.Ours}} | {{.Beside}} | {{.Theirs}} | {{.Measure}} | {{.Goal}} | {{.Verdict}} |
{{end}}{{end}}
## Where gdb's record ends

Functions of the ordinary program under ` + "`record full`" + `, from their first line to their
end.

| function | instructions recorded | gdb's words |
| --- | ---: | --- |
{{range .Endings}}| {{.Function}} | {{.Recorded}} | {{if .Words}}{{.Words}}{{else}}*it recorded all of it*{{end}} |
{{end}}
## How cost grows

{{range .Plots}}![{{.Title}}]({{file .}})

{{.Remark}}

{{end}}`

// A filled report holds the contents of the page.
type filled struct {
	*report
	Minutes                  string
	MiB                      int
	Goals, Met, Missed, Open int
	Chapters                 []chapter
	Plots                    []plot
}

// write writes the page and its plots into the folder of documents.
func (r *report) write(docs string) error {
	f := r.fill()
	for _, p := range f.Plots {
		if err := os.WriteFile(filepath.Join(docs, prefix+p.file), []byte(p.draw()), 0o644); err != nil {
			return err
		}
	}
	t, err := template.New(page).Funcs(template.FuncMap{"file": func(p plot) string { return prefix + p.file }}).Parse(text)
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := t.Execute(&b, f); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(docs, page), []byte(strings.TrimSpace(b.String())+"\n"), 0o644)
}

func (r *report) fill() *filled {
	f := &filled{report: r, Minutes: r.Took.Round(time.Second).String(), MiB: historyMiB, Plots: r.plots()}
	for _, c := range chapters {
		for i := range plans {
			if p := &plans[i]; p.part == c.part {
				row := p.fill(r.Readings)
				c.Rows = append(c.Rows, row)
				f.count(&row)
			}
		}
		f.Chapters = append(f.Chapters, c)
	}
	return f
}

// count counts a row's goal, if it has one.
func (f *filled) count(r *row) {
	switch {
	case r.Goal == "":
		return
	case r.Verdict == "":
		f.Open++
	case r.Met:
		f.Met++
	default:
		f.Missed++
	}
	f.Goals++
}

// plots returns the plots of growing quantities.
func (r *report) plots() []plot {
	seeks := plot{
		file: "seek.svg", Title: "Going through what was recorded", x: "instructions recorded", y: "time", Remark: `One call each: back from the end to the beginning of what was recorded, from there to
the end again, and one instruction back. gdb records no more than is shown in a time
that one would wait.`,
		lines: []line{
			r.line("to the beginning", "seek beginning", ours, r.Lengths), r.line("to the end", "seek present", ours, r.Lengths),
			r.line("one back", "seek one", ours, r.Lengths), r.line("gdb, to the beginning", "seek beginning", gdb, r.Lengths),
		},
	}
	stops := plot{
		file: "stop.svg", Title: fmt.Sprintf("Stopping a program that wrote to %d pages", dirtyPages), x: "MiB of heap", y: "time",
		Remark: `What a stop costs beyond the program's own time, and the program's own time for its
500 pages since the stop before.`,
		lines: []line{
			r.line("a stop with a snapshot", "stop", ours, r.Heaps), r.line("gdb, a stop without one", "stop", gdb, r.Heaps),
			r.line("500 pages, tracked", "round", ours, r.Heaps), r.line("500 pages under gdb", "round", gdb, r.Heaps),
		},
	}
	return []plot{seeks, stops}
}

// line returns a side's values of a measure whose name ends with a number.
func (r *report) line(name, measure, side string, sizes []int) line {
	l := line{name: name}
	for _, n := range sizes {
		if v, ok := r.Readings.of(fmt.Sprintf("%s %d", measure, n), side); ok {
			l.points = append(l.points, [2]float64{float64(n), v})
		}
	}
	return l
}

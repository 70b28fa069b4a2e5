package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/triptych-mcp/triptych/conformance/bench/load"
)

// A sweep measures the same servers at one value after the other and draws the
// rate and the CPU time of each.
type sweep struct {
	rate, cpu plot
	values    []int
	at        func(value int) (parallel int, list []contender)
}

func (b *bench) sweep(ctx context.Context, s sweep) error {
	lines := map[string]*[2]line{}
	var names []string
	for _, v := range s.values {
		parallel, list := s.at(v)
		readings, err := contest(ctx, b.brisk(), parallel, list...)
		if err != nil {
			return fmt.Errorf("at %d: %w", v, err)
		}
		for _, r := range readings {
			l := lines[r.Name]
			if l == nil {
				l = &[2]line{{Name: r.Name}, {Name: r.Name}}
				lines[r.Name], names = l, append(names, r.Name)
			}
			l[0].Points = append(l[0].Points, [2]float64{float64(v), r.Rate})
			l[1].Points = append(l[1].Points, [2]float64{float64(v), r.CPU})
		}
	}
	for _, name := range names {
		s.rate.Lines = append(s.rate.Lines, lines[name][0])
		s.cpu.Lines = append(s.cpu.Lines, lines[name][1])
	}
	b.plot(s.rate)
	b.plot(s.cpu)
	return nil
}

// growConnections draws the rate over the number of connections over HTTPS.
func (b *bench) growConnections(ctx context.Context) error {
	echo := []load.Message{load.Echo(load.Text(32, false))}
	values := []int{1, 2, 4, 8, 16, 32, 64, 128, 256}
	if b.quick {
		values = []int{1, 8, 64}
	}
	return b.sweep(ctx, sweep{
		rate: plot{
			File: "connections-rate.svg", Title: "echo 32 B over HTTPS", LogX: true, LogY: true,
			X: "connections", Y: "requests a second", Remark: "Ours checks a key, counts a quota and keeps an audit trail; the peers do not.",
		},
		cpu: plot{
			File: "connections-cpu.svg", Title: "CPU of echo 32 B over HTTPS", LogX: true, LogY: true,
			X: "connections", Y: "CPU time of a request, µs",
		},
		values: values,
		at: func(v int) (int, []contender) {
			return v, []contender{
				{b.echoWeb(), echo},
				{b.peerWeb(bareHTTP, "ceiling"), echo},
				{b.peerWeb(gosdk, "gosdk"), echo},
				{b.peerWeb(mcpgo, "mcpgo"), echo},
			}
		},
	})
}

// growSize draws the rate over the size of a message.
func (b *bench) growSize(ctx context.Context) error {
	values := []int{32, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20}
	if b.quick {
		values = []int{32, 1 << 10, 32 << 10, 1 << 20}
	}
	return b.sweep(ctx, sweep{
		rate: plot{
			File: "size-rate.svg", Title: "echo over a pipe, 1 in flight", LogX: true, LogY: true,
			X: "bytes of text", Y: "requests a second",
		},
		cpu: plot{
			File: "size-cpu.svg", Title: "CPU of echo over a pipe", LogX: true, LogY: true,
			X: "bytes of text", Y: "CPU time of a request, µs",
		},
		values: values,
		at: func(v int) (int, []contender) {
			var list []contender
			for _, s := range b.pipes()[:4] {
				list = append(list, contender{s, []load.Message{load.Echo(load.Text(v, false))}})
			}
			return 1, list
		},
	})
}

// growTools draws what the number of tools does to their list and to a call.
func (b *bench) growTools(ctx context.Context) error {
	values := []int{1, 3, 10, 30, 100, 300, 1000}
	if b.quick {
		values = []int{1, 30, 1000}
	}
	return b.sweep(ctx, sweep{
		rate: plot{
			File: "tools-rate.svg", Title: "tools/list and tools/call, 16 in flight on a pipe", LogX: true, LogY: true,
			X: "tools", Y: "requests a second",
		},
		cpu: plot{
			File: "tools-cpu.svg", Title: "CPU of tools/list and tools/call", LogX: true, LogY: true,
			X: "tools", Y: "CPU time of a request, µs",
		},
		values: values,
		at: func(v int) (int, []contender) {
			var list []contender
			for _, program := range []struct{ name, file string }{{ours, "echo"}, {gosdk, "gosdk"}} {
				for _, m := range []struct {
					name    string
					message load.Message
				}{{"list", load.List()}, {"call", load.Echo(load.Text(32, false))}} {
					list = append(list, contender{load.Server{
						Name: program.name + ", " + m.name, Revision: revision,
						Argv: []string{b.program(program.file), "-tools", strconv.Itoa(v - 1)},
					}, []load.Message{m.message}})
				}
			}
			return 16, list
		},
	})
}

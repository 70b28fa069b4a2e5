package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/triptych-mcp/triptych/conformance/bench/figures"
	"github.com/triptych-mcp/triptych/conformance/bench/load"
)

// start measures from the start of a program to its first answer, and what
// memory and disk it takes, beside a server of the Go SDK with the same tools.
func (b *bench) start(ctx context.Context) error {
	imitation, err := b.imitation(ctx)
	if err != nil {
		return err
	}
	bare := load.Server{Name: "echo", Argv: []string{b.program("echo")}, Revision: revision}
	servers := []load.Server{b.triptych(), imitation, bare}
	readings, err := b.starts(ctx, servers)
	if err != nil {
		return err
	}
	b.addTime("start", "start to first answer, all families", .8, &readings[0], &readings[1])
	b.addTime("start", "start to first answer, one tool", 0, &readings[2], &readings[1])
	if err := b.memory(ctx, servers); err != nil {
		return err
	}
	return b.programs()
}

// starts starts each server in turn.
func (b *bench) starts(ctx context.Context, servers []load.Server) ([]reading, error) {
	readings := make([]reading, len(servers))
	times := 30
	if b.quick {
		times = 8
	}
	for r := range times {
		for k := range servers {
			i := (k + r) % len(servers)
			readings[i].Name = servers[i].Name
			began := time.Now()
			conn, err := load.Open(ctx, servers[i])
			if err != nil {
				return nil, err
			}
			took := time.Since(began)
			cpu, err := load.CPU(conn.PID())
			if err = errors.Join(err, conn.Close()); err != nil {
				return nil, err
			}
			readings[i].rounds = append(readings[i].rounds, round{rate: 1 / took.Seconds(), cpu: micros(cpu)})
		}
	}
	for i := range readings {
		readings[i].finish()
	}
	return readings, nil
}

func micros(d time.Duration) float64 { return float64(d) / 1000 }

// memory measures resident memory after the handshake, and at most while
// listing tools, which all servers can, sixteen requests at a time.
func (b *bench) memory(ctx context.Context, servers []load.Server) error {
	plain := load.Server{Name: gosdk, Argv: []string{b.program("gosdk")}, Revision: revision}
	for _, pair := range []struct {
		name  string
		sides [2]load.Server
	}{
		{"all families", [2]load.Server{servers[0], servers[1]}},
		{"one tool", [2]load.Server{servers[2], plain}},
	} {
		var idle, loaded [2]load.Usage
		for i, s := range pair.sides {
			var err error
			if idle[i], loaded[i], err = b.resident(ctx, s); err != nil {
				return err
			}
		}
		own := func(u load.Usage) int64 { return u.Own }
		b.addMemory("resident memory, idle, "+pair.name, 1.3, idle, func(u load.Usage) int64 { return u.RSS })
		b.addMemory("the same without pages of files", 0, idle, own)
		b.addMemory("resident memory at most, under load, "+pair.name, 1, loaded, func(u load.Usage) int64 { return u.Peak })
		b.addMemory("at the end of that, without pages of files", 0, loaded, own)
	}
	return nil
}

func (b *bench) resident(ctx context.Context, s load.Server) (idle, loaded load.Usage, err error) {
	conn, err := load.Open(ctx, s)
	if err != nil {
		return idle, loaded, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	time.Sleep(200 * time.Millisecond) // what it does after the handshake
	if idle, err = load.Look(conn.PID()); err != nil {
		return idle, loaded, err
	}
	mix, err := load.Prepare(conn, load.List())
	if err != nil {
		return idle, loaded, err
	}
	if _, err = conn.Run(mix, 16, b.pace().each*4); err != nil {
		return idle, loaded, err
	}
	loaded, err = load.Look(conn.PID())
	return idle, loaded, err
}

func (b *bench) addMemory(what string, goal float64, sides [2]load.Usage, of func(load.Usage) int64) {
	b.addSize(what, goal, float64(of(sides[0])), float64(of(sides[1])))
}

// addSize is a row that compares two numbers of bytes. With a goal ours must be no
// more than so many times the other.
func (b *bench) addSize(what string, goal, ours, theirs float64) {
	b.add(row{
		Part: "start", What: what, Ours: figures.Bytes(ours), Against: gosdk, Theirs: figures.Bytes(theirs),
		Measure: ours / theirs, Goal: goal, AtMost: true,
	})
}

// programs compares the files. Neither is stripped.
func (b *bench) programs() error {
	var sizes []float64
	for _, name := range []string{"triptych", "gosdk", "echo"} {
		info, err := os.Stat(filepath.Join(b.bin, name))
		if err != nil {
			return err
		}
		sizes = append(sizes, float64(info.Size()))
	}
	b.addSize("program file, all families", 1, sizes[0], sizes[1])
	b.addSize("program file, one tool", 1, sizes[2], sizes[1])
	return nil
}

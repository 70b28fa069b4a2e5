package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/triptych-mcp/triptych/conformance/figures"
	"github.com/triptych-mcp/triptych/conformance/load"
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
			road, err := load.Open(ctx, servers[i])
			if err != nil {
				return nil, err
			}
			took := time.Since(began)
			cpu, err := load.CPU(road.PID())
			if err = errors.Join(err, road.Close()); err != nil {
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
	var idle, loaded []float64
	for _, s := range servers[:2] {
		rest, work, err := b.resident(ctx, s)
		if err != nil {
			return err
		}
		idle, loaded = append(idle, rest), append(loaded, work)
	}
	b.addSize("resident memory, idle", idle)
	b.addSize("resident memory at most, under load", loaded)
	return nil
}

func (b *bench) resident(ctx context.Context, s load.Server) (idle, loaded float64, err error) {
	road, err := load.Open(ctx, s)
	if err != nil {
		return 0, 0, err
	}
	time.Sleep(200 * time.Millisecond) // what it does after the handshake
	before, err := load.Look(road.PID())
	if err != nil {
		return 0, 0, errors.Join(err, road.Close())
	}
	mix, err := load.Prepare(road, load.List())
	if err == nil {
		_, err = road.Run(mix, 16, b.pace().each*4)
	}
	after, failed := load.Look(road.PID())
	return float64(before.RSS), float64(after.Peak), errors.Join(err, failed, road.Close())
}

// addSize is a row that compares two numbers of bytes: ours must be no more.
func (b *bench) addSize(what string, sizes []float64) {
	b.add(row{
		Part: "start", What: what, Ours: figures.Bytes(sizes[0]), Against: gosdk, Theirs: figures.Bytes(sizes[1]),
		Measure: sizes[0] / sizes[1], Goal: 1, AtMost: true,
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
	b.addSize("program file, all families", sizes)
	b.addSize(fmt.Sprintf("program file, one tool (%s)", "echo"), []float64{sizes[2], sizes[1]})
	return nil
}

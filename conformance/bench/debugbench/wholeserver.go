package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// redis is the name of a server that is recorded.
const redis = "redis-server"

// recordServer measures the processor time of a server with so many requests, alone and
// recorded. It returns the ratio, or 0 if there is no server.
func (b *bench) recordServer(ctx context.Context) (float64, error) {
	for _, program := range []string{redis, "redis-benchmark", "redis-cli"} {
		if _, err := exec.LookPath(program); err != nil {
			b.note(fmt.Sprintf("There is no program %s here, so no server was recorded.", program))
			return 0, nil
		}
	}
	if !b.pace.recorded(redis) {
		return 0, nil
	}
	native, _, err := b.serve(ctx, func(argv []string) []string { return argv })
	if err != nil {
		return 0, err
	}
	taken, said, err := b.serve(ctx, func(argv []string) []string { return b.recordOf(redis, argv) })
	if err != nil {
		return 0, err
	}
	b.takeWhole(redis, native, taken, said)
	return taken / native, nil
}

// serve starts a server by a command, sends it requests, and ends it.
func (b *bench) serve(ctx context.Context, command func(argv []string) []string) (seconds float64, said string, err error) {
	folder, err := os.MkdirTemp("", "bench") // the path of a socket must be short
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	socket := filepath.Join(folder, "socket")
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	type result struct {
		seconds float64
		said    string
		err     error
	}
	ended := make(chan result, 1)
	go func() {
		var r result
		r.seconds, r.said, r.err = b.timed(ctx, "", command([]string{redis, "--port", "0", "--unixsocket", socket, "--save", "", "--dir", folder})...)
		ended <- r
	}()
	err = errors.Join(b.load(ctx, socket))
	if err != nil {
		cancel()
	}
	r := <-ended
	return r.seconds, r.said, errors.Join(err, r.err)
}

// load waits for a server, sends it requests, and asks it to end.
func (b *bench) load(ctx context.Context, socket string) error {
	for b.said(ctx, "redis-cli", "-s", socket, "ping") != "PONG" {
		if err := ctx.Err(); err != nil {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
	n := strconv.Itoa(100 * b.pace.percent)
	if _, err := run(ctx, b.bin, nil, "redis-benchmark", "-s", socket, "-n", n, "-c", "20", "-t", "set", "-q"); err != nil {
		return err
	}
	_, err := run(ctx, b.bin, nil, "redis-cli", "-s", socket, "shutdown", "nosave")
	return err
}

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"time"

	"github.com/redis/go-redis/v9"
)

// A redisServer is a server of our own, with nothing on disk.
type redisServer struct {
	cmd    *exec.Cmd
	dir    string
	addr   string
	client *redis.Client
}

// startRedis returns nil where no redis-server is installed.
func startRedis(ctx context.Context) (*redisServer, error) {
	if !installed("redis-server") {
		return nil, nil
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	addr := l.Addr().String()
	dir, err := os.MkdirTemp("", "redis")
	if err = errors.Join(err, l.Close()); err != nil {
		return nil, err
	}
	_, port, _ := net.SplitHostPort(addr)
	cmd := exec.CommandContext(ctx, "redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", dir)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	r := &redisServer{cmd, dir, addr, redis.NewClient(&redis.Options{Addr: addr, DisableIdentity: true})}
	for began := time.Now(); r.client.Ping(ctx).Err() != nil; time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > 10*time.Second {
			return nil, errors.Join(errors.New("redis-server does not answer"), r.stop())
		}
	}
	return r, nil
}

func (r *redisServer) url() string { return "redis://" + r.addr }

// beside is another database of the same server. What it is asked goes through a
// client of its own.
func (r *redisServer) beside() *redisServer {
	o := *r.client.Options()
	o.DB = 1
	return &redisServer{r.cmd, r.dir, r.addr + "/1", redis.NewClient(&o)}
}

// fill writes the documented hashes, as another program would.
func (r *redisServer) fill(ctx context.Context, from, to int) error {
	for ; from < to; from += 10_000 {
		_, err := r.client.Pipelined(ctx, func(p redis.Pipeliner) error {
			for i := from; i < min(to, from+10_000); i++ {
				at := time.Date(2025, 10, 29, 10, 30, i/3, 0, time.UTC).Format(time.RFC3339)
				p.HSet(ctx, fmt.Sprintf("ruleset:rule_%d", i), "description", "A rule", "tags", `["go","style"]`,
					"markdown", "# Rule\n\nText\n", "created_at", at, "last_modified", at)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *redisServer) stop() error {
	err := errors.Join(r.client.Close(), r.cmd.Process.Kill())
	_ = r.cmd.Wait() // killed
	return errors.Join(err, os.RemoveAll(r.dir))
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/conformance/bench/figures"
	"github.com/triptych-mcp/triptych/conformance/bench/load"
)

// A cost is something absolute that a row of the last table says.
type cost struct{ What, Value string }

func (b *bench) cost(what, value string) {
	b.report.Costs = append(b.report.Costs, cost{what, value})
	fmt.Fprintf(b.out, "%-44s %s\n", what, value)
}

// costs measures what each request, connection and session costs.
func (b *bench) costs(ctx context.Context) error {
	for _, g := range []struct{ folder, name, what string }{
		{"transport/stdio", "BenchmarkEcho/32B$", "echo 32 B over standard input and output"},
		{"transport/stdio", "BenchmarkEcho/10KiB$", "echo 10 KiB over standard input and output"},
		{"transport/streamable", "BenchmarkPost/json$", "echo 32 B by a POST, without net/http"},
	} {
		results, err := b.goBench(ctx, g.folder, g.name)
		if err != nil || len(results) == 0 {
			return errors.Join(err, fmt.Errorf("no result of %s", g.name))
		}
		r := results[0]
		b.cost(g.what, fmt.Sprintf("%.0f allocations, %s", r.values["allocs/op"], figures.Bytes(r.values["B/op"])))
	}
	if err := b.served(ctx); err != nil {
		return err
	}
	if err := b.held(ctx); err != nil {
		return err
	}
	return b.atRest(ctx)
}

// served measures what a request allocates in the whole program over HTTPS, as
// its own metrics tell.
func (b *bench) served(ctx context.Context) error {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	metrics := l.Addr().String()
	if err := l.Close(); err != nil { // the server takes its port
		return err
	}
	conn, err := load.Open(ctx, b.serve("--metrics-listen", metrics))
	if err != nil {
		return err
	}
	mix, err := load.Prepare(conn, load.Call("get_ruleset", `{"name":"rule_0"}`))
	if err != nil {
		return errors.Join(err, conn.Close())
	}
	before, err := scrape(ctx, metrics)
	if err != nil {
		return errors.Join(err, conn.Close())
	}
	s, err := conn.Run(mix, 8, 4*b.pace().each)
	if err != nil {
		return errors.Join(err, conn.Close())
	}
	after, err := scrape(ctx, metrics)
	per := func(name string) float64 { return (after[name] - before[name]) / float64(s.N) }
	b.cost("get_ruleset over HTTPS, the whole program", fmt.Sprintf("%.0f allocations, %s, %s of CPU",
		per("go_memstats_mallocs_total"), figures.Bytes(per("go_memstats_alloc_bytes_total")), duration(s.CPUEach())))
	return errors.Join(err, conn.Close())
}

// scrape reads the metrics that have no labels.
func scrape(ctx context.Context, addr string) (map[string]float64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(resp.Body)
	values := map[string]float64{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if v, err := strconv.ParseFloat(value, 64); err == nil {
			values[name] = v
		}
	}
	return values, errors.Join(err, resp.Body.Close())
}

// held measures what idle connections and idle sessions hold, by what the
// resident memory of the program grows.
func (b *bench) held(ctx context.Context) error {
	curve := plot{
		File: "memory.svg", Title: "Memory held by idle connections over HTTPS",
		X: "connections", Y: "resident memory, MiB",
	}
	for _, kind := range []struct{ name, revision string }{{"without a session", ""}, {"with a session each", revision}} {
		s := b.serve()
		s.Revision = kind.revision
		points, err := b.holding(ctx, s)
		if err != nil {
			return err
		}
		first, last := points[0], points[len(points)-1]
		b.cost("an idle connection over HTTPS, "+kind.name,
			figures.Bytes((last[1]-first[1])*(1<<20)/(last[0]-first[0])))
		curve.Lines = append(curve.Lines, line{kind.name, points})
	}
	b.plot(curve)
	return nil
}

// holding makes connections and looks at the memory after each hundred.
func (b *bench) holding(ctx context.Context, s load.Server) (points [][2]float64, err error) {
	conn, err := load.Open(ctx, s)
	if err != nil {
		return nil, err
	}
	for n := 100; n <= 1000; n += 100 {
		if err := load.Connect(ctx, conn, n); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		time.Sleep(50 * time.Millisecond)
		usage, err := load.Look(conn.PID())
		if err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		points = append(points, [2]float64{float64(n), float64(usage.RSS) / (1 << 20)})
	}
	return points, conn.Close()
}

// atRest measures the resident memory of idle servers.
func (b *bench) atRest(ctx context.Context) error {
	for _, s := range []struct {
		what   string
		server load.Server
	}{
		{"memory of triptych stdio, idle", b.triptych()},
		{"memory of triptych serve, idle", b.serve()},
		{"memory of one tool over our packages, idle", b.pipes()[0]},
	} {
		conn, err := load.Open(ctx, s.server)
		if err != nil {
			return err
		}
		time.Sleep(200 * time.Millisecond) // what it does after the handshake
		usage, err := load.Look(conn.PID())
		if err = errors.Join(err, conn.Close()); err != nil {
			return err
		}
		b.cost(s.what, figures.Bytes(float64(usage.RSS)))
	}
	return nil
}

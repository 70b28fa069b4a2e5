package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/conformance/bench/figures"
	"github.com/triptych-mcp/triptych/conformance/bench/load"
)

// lookups are the look-ups that are measured with and without the audit trail.
var lookups = []struct {
	name    string
	message load.Message
}{
	{"list_rulesets", load.Call("list_rulesets", `{}`)},
	{"get_ruleset", load.Call("get_ruleset", `{"name":"rule_0"}`)},
}

// trail measures what the audit trail and the fast path for HTTP/1.1 are worth: the
// whole program beside itself with other flags, in one run.
func (b *bench) trail(ctx context.Context) error {
	for _, l := range lookups {
		for _, parallel := range []int{1, 16} {
			if err := b.trailOverPipe(ctx, l.name, parallel, l.message); err != nil {
				return err
			}
		}
	}
	for _, conns := range []int{8, 64} {
		if err := b.trailOverHTTPS(ctx, conns); err != nil {
			return err
		}
	}
	return errors.Join(b.firstCalls(ctx), b.changes(ctx))
}

// settling is the time between a handshake and the first call: a person or a model
// needs longer.
const settling = 200 * time.Millisecond

// firstCalls measures the first call of a process beside later ones, over each
// transport, for a change, whose record is on disk before its answer.
func (b *bench) firstCalls(ctx context.Context) error {
	record := load.Call("record_speed", `{"day":1,"phase":2,"llm_name":"bench","speed_ms":1}`)
	for _, s := range []load.Server{b.triptych(), b.serve()} {
		first, later := reading{Name: "first"}, reading{Name: "a later one"}
		for range b.pace().rounds {
			if err := firstCall(ctx, s, record, &first, &later); err != nil {
				return err
			}
		}
		first.finish()
		later.finish()
		what := "first change of a process"
		if s.URL != "" {
			what += ", over HTTPS, with the handshake of TLS"
		}
		b.addTime("trail", what, 3, &first, &later)
	}
	return nil
}

func firstCall(ctx context.Context, s load.Server, m load.Message, first, later *reading) (err error) {
	conn, err := load.Open(ctx, s)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	time.Sleep(settling)
	var took []float64
	for range 8 {
		_, t, err := load.Once(conn, m)
		if err != nil {
			return err
		}
		took = append(took, t.Seconds())
	}
	first.rounds = append(first.rounds, round{rate: 1 / took[0]})
	later.rounds = append(later.rounds, round{rate: 1 / figures.Median(took[1:])})
	return nil
}

const noTrail = "--no-audit"

func (b *bench) trailOverPipe(ctx context.Context, name string, parallel int, message load.Message) error {
	asked := []load.Message{message}
	readings, err := contest(ctx, b.pace(), parallel,
		contender{b.triptych(), asked},
		contender{named(b.triptych(noTrail), noTrail), asked},
		contender{named(b.triptych("--audit-sync", "always"), "--audit-sync always"), asked})
	if err != nil {
		return err
	}
	least := .8
	if parallel > 1 {
		least = .7
	}
	b.addGoals("trail", fmt.Sprintf("%s, %d in flight", name, parallel), readings, []goal{{noTrail, least}})
	return nil
}

func (b *bench) trailOverHTTPS(ctx context.Context, conns int) error {
	asked := []load.Message{lookups[1].message}
	const slow = "--no-http1-fast-path"
	list := []contender{{b.serve(), asked}}
	for i, flags := range [][]string{{slow}, {"--audit-sync", "always"}} {
		data := filepath.Join(b.data, fmt.Sprintf("copy-%d-%d", conns, i)) // a folder has one server
		if err := copyData(data, b.data); err != nil {
			return err
		}
		list = append(list, contender{named(b.serve(append(flags, "--data", data)...), strings.Join(flags, " ")), asked})
	}
	readings, err := contest(ctx, b.pace(), conns, list...)
	if err != nil {
		return err
	}
	b.addGoals("trail", fmt.Sprintf("HTTPS, get_ruleset, %d connections", conns), readings, []goal{{slow, 1.2}})
	return nil
}

// changes measures a tool whose every call is on disk before its answer.
func (b *bench) changes(ctx context.Context) error {
	const conns = 64
	var record []load.Message // on all days, for the file of a day grows
	for day := range 25 {
		record = append(record, load.Call("record_speed", fmt.Sprintf(`{"day":%d,"phase":1,"llm_name":"bench","speed_ms":1}`, day+1)))
	}
	readings, err := contest(ctx, b.pace(), conns,
		contender{b.serve(), record},
		contender{b.peerWeb(bareTrail, "ceiling", "-trail", filepath.Join(b.data, "trail")), []load.Message{load.Echo(load.Text(32, false))}})
	if err != nil {
		return err
	}
	b.addGoals("trail", fmt.Sprintf("HTTPS, record_speed, %d connections", conns), readings, []goal{{bareTrail, .8}})
	return nil
}

// copyData copies the keys, the certificate and the rulesets of a data folder.
func copyData(to, from string) error {
	for _, part := range []string{"keys", "tls", "rulesets"} {
		if err := os.CopyFS(filepath.Join(to, part), os.DirFS(filepath.Join(from, part))); err != nil {
			return err
		}
	}
	return nil
}

// named gives a server the name of what differs.
func named(s load.Server, name string) load.Server {
	s.Name = name
	return s
}

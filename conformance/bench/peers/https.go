package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/triptych-mcp/triptych/conformance/bench/load"
)

// webEchoes are the rows over HTTPS, by the number of connections.
var webEchoes = []struct {
	conns int
	goals []goal
}{
	{8, []goal{{bareHTTP, .9}, {gosdk, 12}, {mcpgo, 2}}},
	{64, []goal{{bareHTTP, .9}, {gosdk, 12}, {mcpgo, 2}}},
}

// What a handler of net/http does at least: to answer, and to have a line on disk
// before.
const (
	bareHTTP  = "bare net/http"
	bareTrail = "the same, a line on disk"
)

// https measures ours with keys, quota and audit, and its peers without: the echo
// of our packages against echoes, and the whole program with the tool get_ruleset
// against the same.
func (b *bench) https(ctx context.Context) error {
	echo := []load.Message{load.Echo(load.Text(32, false))}
	get := []load.Message{load.Call("get_ruleset", `{"name":"rule_0"}`)}
	for _, e := range webEchoes {
		readings, err := contest(ctx, b.pace(), e.conns,
			contender{b.echoWeb(), echo},
			contender{b.peerWeb(bareHTTP, "ceiling"), echo},
			contender{b.peerWeb(bareTrail, "ceiling", "-trail", filepath.Join(b.data, "trail")), echo},
			contender{b.peerWeb(gosdk, "gosdk"), echo},
			contender{b.peerWeb(mcpgo, "mcpgo"), echo},
			contender{b.serve(), get})
		if err != nil {
			return err
		}
		whole := readings[len(readings)-1]
		readings = readings[:len(readings)-1]
		b.addGoals("https", fmt.Sprintf("echo 32 B, %d connections", e.conns), readings, e.goals)
		b.addLimits(fmt.Sprintf("HTTPS, echo 32 B, %d connections", e.conns), bareTrail, readings[1:], e.goals)
		readings[0] = whole
		b.addGoals("https", fmt.Sprintf("get_ruleset, %d connections", e.conns), readings, e.goals)
	}
	return nil
}

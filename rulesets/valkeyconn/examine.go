package valkeyconn

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// A Problem is a property of a store that keeps parts of the program from
// working, or from working well.
type Problem struct {
	Detail string // what is wrong
	Hint   string // what to change
	Level  Level
}

// A Level is the severity of a problem.
type Level int

// The levels: a property that operators choose, one that loses data or rights,
// and one that makes the store unusable.
const (
	Notice Level = iota
	Warning
	Fatal
)

// maxSkew is the difference of clocks above which the windows of quotas differ.
const maxSkew = 2 * time.Second

// Examine checks the eviction policy, the persistence, the replicas, the topology, the
// clock and the rights of a store, and returns the problems, the worst first. It writes
// and removes one key; prefix begins the names of all keys of the installation. Servers that hide their INFO are not found fault with for that.
func Examine(ctx context.Context, client redis.UniversalClient, prefix string) []Problem {
	var mu sync.Mutex
	var all []Problem
	add := func(more ...Problem) {
		mu.Lock()
		defer mu.Unlock()
		for _, p := range more {
			if !slices.Contains(all, p) { // the nodes of a cluster have the same problems
				all = append(all, p)
			}
		}
	}
	if cluster, ok := client.(*redis.ClusterClient); ok {
		_ = cluster.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error {
			add(examineNode(ctx, node, true)...)
			return nil
		})
	} else {
		add(examineNode(ctx, client, false)...)
	}
	if !slices.ContainsFunc(all, func(p Problem) bool { return p.Level == Fatal }) {
		add(examineRights(ctx, client, prefix)...)
	}
	slices.SortStableFunc(all, func(a, b Problem) int { return int(b.Level) - int(a.Level) })
	return all
}

// infoRules lists properties in the output of INFO, in the order in which they
// are checked.
var infoRules = []struct {
	name    string
	bad     func(value string) bool
	problem Problem
}{
	{"role", is("slave"), Problem{"it is a replica, which cannot be written", "name the primary in --store", Fatal}},
	{"maxmemory_policy", begins("allkeys-"), Problem{"its eviction policy removes any key when memory is short: keys, rulesets and the audit trail", "set maxmemory-policy noeviction", Warning}},
	{"maxmemory_policy", begins("volatile-"), Problem{"its eviction policy removes the counts of quotas when memory is short", "set maxmemory-policy noeviction", Warning}},
	{"aof_enabled", is("0"), Problem{"it has no append-only file: a crash loses all since its last snapshot", "set appendonly yes", Notice}},
	{"aof_last_write_status", is("err"), Problem{"its append-only file cannot be written", "make room on its disk", Warning}},
	{"rdb_last_bgsave_status", is("err"), Problem{"its last snapshot failed, and it may refuse writes", "make room on its disk, or see its log", Warning}},
	{"connected_slaves", is("0"), Problem{"it has no replica: while it is down, nothing is served", "add a replica, and sentinels or a cluster", Notice}},
}

func is(text string) func(string) bool { return func(value string) bool { return value == text } }

func begins(prefix string) func(string) bool {
	return func(value string) bool { return strings.HasPrefix(value, prefix) }
}

// examineNode checks one server.
func examineNode(ctx context.Context, client redis.UniversalClient, inCluster bool) (all []Problem) {
	values := map[string]string{}
	for _, section := range []string{"memory", "persistence", "replication", "cluster"} {
		for line := range strings.Lines(client.Info(ctx, section).Val()) { // empty if INFO is not permitted
			if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
				values[name] = value
			}
		}
	}
	if values["cluster_enabled"] == "1" && !inCluster {
		return []Problem{{"it is a node of a cluster", "begin the URL with valkey+cluster:// or valkeys+cluster://", Fatal}}
	}
	for _, rule := range infoRules {
		if value, known := values[rule.name]; known && rule.bad(value) {
			all = append(all, rule.problem)
		}
	}
	began := time.Now()
	if now, err := client.Time(ctx).Result(); err == nil {
		if skew := now.Sub(began.Add(time.Since(began) / 2)).Abs(); skew > maxSkew {
			all = append(all, Problem{fmt.Sprintf("its clock differs from this machine's by %v", skew.Round(time.Second)), "synchronize the clocks of all machines", Warning})
		}
	}
	return all
}

// examineKey is the key that is written to check the rights.
const examineKey = "triptych:doctor"

// examineRights tries each kind of command that the program uses.
func examineRights(ctx context.Context, client redis.UniversalClient, prefix string) (all []Problem) {
	key := prefix + examineKey + ":" + strconv.FormatInt(time.Now().UnixNano(), 36)
	for _, try := range []struct {
		what string
		do   func() error
	}{
		{"run scripts", func() error { return client.Eval(ctx, "return 1", []string{key}).Err() }},
		{"add to streams", func() error {
			return client.XAdd(ctx, &redis.XAddArgs{Stream: key, Values: []any{"a", "b"}}).Err()
		}},
		{"expire keys", func() error { return client.Expire(ctx, key, time.Minute).Err() }},
		{"delete keys", func() error { return client.Del(ctx, key).Err() }},
		{"read hashes", func() error { return client.HGetAll(ctx, key).Err() }},
		{"list keys", func() error { return client.Scan(ctx, 0, "ruleset:*", 1).Err() }},
		{"count keys", func() error { return client.DBSize(ctx).Err() }},
		{"publish to channels", func() error { return client.Publish(ctx, prefix+examineKey, "").Err() }},
		{"subscribe to channels", func() error {
			events := client.Subscribe(ctx, prefix+examineKey)
			defer func() { _ = events.Close() }() // nothing to lose
			_, err := events.ReceiveTimeout(ctx, dialTimeout)
			return err
		}},
	} {
		if err := try.do(); err != nil && redis.HasErrorPrefix(err, "NOPERM") {
			all = append(all, Problem{
				"its user may not " + try.what + ": " + err.Error(),
				fmt.Sprintf("give the user ~ruleset:* ~%[1]srulesets:* ~%[1]striptych:* &%[1]srulesets:* &%[1]striptych:* +@all -@dangerous -@admin", prefix), Warning,
			})
		}
	}
	return all
}

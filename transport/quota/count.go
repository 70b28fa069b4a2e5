package quota

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// Handshakes begins the names under which the handshakes of a key are counted. They are no
// IDs of keys.
const Handshakes = "handshakes:"

// A Count is the number of requests of a key in a month, to be copied to another meter.
// The copy has no minute: it is over before anyone would notice.
type Count struct {
	Key      string    `json:"key"`
	MonthEnd time.Time `json:"month_end"`
	Used     int64     `json:"used"`
}

// ReadLocal returns the counts of a [Local] in a folder, which a process may be using, by
// key. What that process has set aside and not granted yet counts as used. It takes no
// lock and writes nothing. A folder without a journal has no counts.
func ReadLocal(dir string) ([]Count, error) {
	j, err := openJournal(filepath.Join(dir, journalName), slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	var all []Count
	for _, l := range j.live {
		all = append(all, Count{Key: l.Key, MonthEnd: time.Unix(l.MonthEnd, 0).UTC(), Used: l.Used})
	}
	return inOrder(all), nil
}

// ReadValkey returns the counts of a [Valkey] with that prefix, by key. Of a cluster it
// asks all nodes: each one lists only the names in its own slots. It scans the server's
// whole key space, which takes a while but blocks no other client. Counts that change
// meanwhile may be old or new.
func ReadValkey(ctx context.Context, client redis.UniversalClient, prefix string) ([]Count, error) {
	cluster, ok := client.(*redis.ClusterClient)
	if !ok {
		all, err := readNode(ctx, client, client, prefix)
		return inOrder(all), err
	}
	var mu sync.Mutex // the nodes are visited at once
	var all []Count
	err := cluster.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error {
		some, err := readNode(ctx, node, client, prefix)
		mu.Lock()
		defer mu.Unlock()
		all = append(all, some...)
		return err
	})
	return inOrder(all), err
}

// readNode returns the counts whose names are on a node. They are read through the client of
// all nodes, for a slot may move meanwhile.
func readNode(ctx context.Context, node redis.Cmdable, client redis.UniversalClient, prefix string) ([]Count, error) {
	begin := prefix + valkeyPrefix
	var all []Count
	for cursor := uint64(0); ; {
		names, next, err := node.Scan(ctx, cursor, begin+"*", 1000).Result()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		for _, name := range names {
			fields, err := client.HMGet(ctx, name, "month_end", "used", "back", "back_end").Result()
			if err != nil {
				return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
			}
			end, used := whole(fields[0]), whole(fields[1])
			if whole(fields[3]) == end { // what was returned in another month does not count
				used -= whole(fields[2])
			}
			all = append(all, Count{Key: strings.TrimPrefix(name, begin), MonthEnd: time.Unix(end, 0).UTC(), Used: used})
		}
		if cursor = next; cursor == 0 {
			return all, nil
		}
	}
}

// whole returns the number in a field, 0 if there is none.
func whole(field any) int64 {
	text, _ := field.(string)
	n, _ := strconv.ParseInt(text, 10, 64) // the script writes whole numbers
	return n
}

// inOrder sorts counts by key, each once, and leaves out those of handshakes: they have only
// a minute.
func inOrder(all []Count) []Count {
	all = slices.DeleteFunc(all, func(c Count) bool { return strings.HasPrefix(c.Key, Handshakes) })
	byKey := func(a, b Count) int { return cmp.Compare(a.Key, b.Key) }
	slices.SortFunc(all, byKey)
	return slices.CompactFunc(all, func(a, b Count) bool { return byKey(a, b) == 0 })
}

// Adopt raises the months of a meter to these counts, those that have not ended.
// Repeating it changes nothing. The current minute stays as it is, for the requests came
// before. On an error some counts have been adopted and others not; call it again.
func Adopt(ctx context.Context, m Meter, counts []Count, now time.Time) error {
	at := beforeMinute(now)
	for _, c := range counts {
		if !now.Before(c.MonthEnd) {
			continue
		}
		exactly := Limits{Month: c.Used} // which leaves nothing to lease
		usage, err := m.Peek(ctx, c.Key, exactly, at)
		if err != nil {
			return err
		}
		missing := c.Used - usage.Month.Used
		if missing < 1 {
			continue
		}
		if _, err := m.TakeAll(ctx, c.Key, exactly, missing, at); err != nil {
			return err
		}
	}
	return nil
}

// beforeMinute returns a time in an earlier minute of the same month, so that what is
// counted then does not count in the current minute. In the first minute of a month there
// is none: it returns now, for all counts of the month are of this minute.
func beforeMinute(now time.Time) time.Time {
	if before := now.Add(-time.Minute); monthEnd(before).Equal(monthEnd(now)) {
		return before
	}
	return now
}

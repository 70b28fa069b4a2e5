package audit

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// An indexState says what the index of a stream covers: the lines from one number through
// another, none if the first is 0.
type indexState struct {
	segments      []segment // the oldest first
	from, through int
	bytes         int64
}

// stateOf reads the hash of segments. Fields that it does not know are ignored: a later
// version may have written them.
func stateOf(fields map[string]string) indexState {
	var x indexState
	for field, value := range fields {
		if s, ok := parseSegment(field, value); ok {
			x.segments = append(x.segments, s)
		}
	}
	slices.SortFunc(x.segments, func(a, b segment) int { return cmp.Compare(a.number, b.number) })
	x.from, _ = strconv.Atoi(fields[coveredFrom])
	_, _ = fmt.Sscanf(fields[coveredThrough], "%d %d", &x.through, &x.bytes) // zeros without the field
	return x
}

// segmentOf returns the number of the segment of a line.
func (x *indexState) segmentOf(line int) int {
	number := 0
	for _, s := range x.segments {
		if s.line <= line {
			number = s.number
		}
	}
	return number
}

const (
	// clockSlack is added to both ends of a period before lines are searched by time.
	clockSlack = time.Minute
	// longestCall is the time for which a call may last, whose record has the time of its
	// beginning and is added at its end.
	longestCall = 24 * time.Hour
)

// matching implements [stored]. It reads the blocks of a key, as far as the index covers the
// stream, and all lines of a period otherwise:
//
//	first ─────── from ───────── through ─────── last
//	 every line        blocks             every line
func (c *streamChain) matching(ctx context.Context, f *Filter) iter.Seq2[place, error] {
	return func(yield func(place, error) bool) {
		first, last, err := c.period(ctx, f)
		if err != nil {
			yield(place{}, err)
			return
		}
		if f.Key == "" || first > last {
			c.between(ctx, first, last)(yield)
			return
		}
		x, err := c.indexed(ctx, first)
		if err != nil {
			yield(place{}, err)
			return
		}
		if x.from == 0 { // there is none
			c.between(ctx, first, last)(yield)
			return
		}
		blocks, err := c.blocks(ctx, x, f.Key)
		if err != nil {
			yield(place{}, err)
			return
		}
		on := true
		pass := func(at place, err error) bool {
			on = yield(at, err) && err == nil
			return on
		}
		c.between(ctx, first, min(last, x.from-1))(pass) // usually none
		c.inBlocks(ctx, blocks, max(first, x.from), min(last, x.through), func(at place, err error) bool { return on && pass(at, err) })
		if on && x.through < last {
			c.between(ctx, max(first, x.through+1), last)(pass)
		}
	}
}

// blocks returns the blocks in which the index has a key, in order and each once.
func (c *streamChain) blocks(ctx context.Context, x indexState, key string) ([]int, error) {
	found := make([]*redis.StringSliceCmd, len(x.segments))
	_, err := c.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, s := range x.segments {
			found[i] = p.ZRangeByLex(ctx, c.names.index(c.name, s.number), &redis.ZRangeBy{Min: "[" + key + "\x00", Max: "(" + key + "\x01"})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var blocks []int
	for _, one := range found {
		for _, member := range one.Val() {
			if n, ok := blockIn(member); ok {
				blocks = append(blocks, n)
			}
		}
	}
	slices.Sort(blocks)
	return slices.Compact(blocks), nil
}

// blocksAtOnce is the number of blocks that are asked for together.
const blocksAtOnce = 8

// inBlocks yields the lines of blocks between two numbers.
func (c *streamChain) inBlocks(ctx context.Context, blocks []int, first, last int, yield func(place, error) bool) {
	stream := c.names.stream(c.name)
	blocks = slices.DeleteFunc(blocks, func(b int) bool { return b < blockOf(first) || b > blockOf(last) })
	for some := range slices.Chunk(blocks, blocksAtOnce) {
		pages := make([]*redis.XMessageSliceCmd, len(some))
		_, err := c.client.Pipelined(ctx, func(p redis.Pipeliner) error {
			for i, b := range some {
				pages[i] = p.XRange(ctx, stream, entryID(max(first, b*blockLines+1)), entryID(min(last, (b+1)*blockLines)))
			}
			return nil
		})
		if err != nil {
			yield(place{}, err)
			return
		}
		for _, page := range pages {
			for _, entry := range page.Val() {
				if !yield(linePlace(stream, entry), nil) {
					return
				}
			}
		}
	}
}

// indexed returns what the index covers, after lines from first on were added, which a
// chain that was restored has without an index. A result without from means that there is no index to use.
func (c *streamChain) indexed(ctx context.Context, first int) (indexState, error) {
	key := c.names.segments(c.name)
	fields, err := c.client.HGetAll(ctx, key).Result()
	if err != nil {
		return indexState{}, err
	}
	x := stateOf(fields)
	if len(x.segments) == 0 {
		x.from = 0
	}
	for x.from > first {
		page, err := c.client.XRevRangeN(ctx, c.names.stream(c.name), entryID(x.from-1), entryID(first), pageLines).Result()
		if err != nil {
			return x, err
		}
		from := first
		if len(page) == pageLines {
			from = linePlace("", page[len(page)-1]).line
		}
		entered, err := c.enter(ctx, x, page, from)
		if err != nil {
			return x, err
		}
		if !entered { // the server has changed what the index covers: read the lines instead
			return indexState{}, nil
		}
		x.from = from
	}
	return x, nil
}

// enterLines adds entries to the indexes of segments that are there, if the index still
// covers the lines from ARGV[1] on, and those from ARGV[2] on then.
//
// Keys: the hash of segments. Arguments: see above; the beginning of the names of the indexes;
// pairs of a segment and a member.
var enterLines = redis.NewScript(`
if redis.call('HGET', KEYS[1], 'from') ~= ARGV[1] then return 0 end
for i = 4, #ARGV, 2 do
  if redis.call('HEXISTS', KEYS[1], ARGV[i]) == 1 then redis.call('ZADD', ARGV[3] .. ARGV[i], 0, ARGV[i + 1]) end
end
redis.call('HSET', KEYS[1], 'from', ARGV[2])
return 1`)

// enter adds lines to the index, which covers those from one number on then, and reports
// whether it did: the server of the chain may have changed the index meanwhile. Segments that
// are deleted by then get no entries.
func (c *streamChain) enter(ctx context.Context, x indexState, page []redis.XMessage, from int) (bool, error) {
	args := []any{x.from, from, c.names.indexes(c.name)}
	had := map[string]bool{}
	for _, entry := range page {
		at := linePlace("", entry)
		key := keyOf(at.text)
		if key == "" {
			continue
		}
		if member := indexMember(key, blockOf(at.line)); !had[member] {
			had[member] = true
			args = append(args, x.segmentOf(at.line), member)
		}
	}
	n, err := enterLines.Run(ctx, c.client, []string{c.names.segments(c.name)}, args...).Int()
	return n == 1, err
}

// period returns the numbers of the first and the last line that may be of records within the
// time of a filter; the last is before the first if the stream is empty. A filter without time
// and key reads all, so it costs no request.
func (c *streamChain) period(ctx context.Context, f *Filter) (first, last int, err error) {
	first, last = 1, math.MaxInt
	if f.From.IsZero() && f.To.IsZero() && f.Key == "" {
		return first, last, nil
	}
	ends := make([]*redis.XMessageSliceCmd, 2)
	stream := c.names.stream(c.name)
	if _, err := c.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		ends[0], ends[1] = p.XRangeN(ctx, stream, "-", "+", 1), p.XRevRangeN(ctx, stream, "+", "-", 1)
		return nil
	}); err != nil {
		return 0, 0, err
	}
	if len(ends[0].Val()) == 0 || len(ends[1].Val()) == 0 {
		return 1, 0, nil
	}
	first, last = linePlace("", ends[0].Val()[0]).line, linePlace("", ends[1].Val()[0]).line
	end := last
	if !f.From.IsZero() {
		if first, _, err = c.search(ctx, first, end, f.From.Add(-clockSlack)); err != nil {
			return 0, 0, err
		}
	}
	if to := f.To.Add(longestCall + clockSlack); !f.To.IsZero() {
		if _, last, err = c.search(ctx, first, end, to); err != nil {
			return 0, 0, err
		}
	}
	return first, last, nil
}

// search narrows a range of lines to a few: those before were added before a time, and
// those behind not before it. Lines are added in the order of time, as far as clocks go
// forward.
func (c *streamChain) search(ctx context.Context, first, last int, at time.Time) (from, to int, err error) {
	for last-first > blockLines {
		middle := first + (last-first)/2
		added, err := c.added(ctx, middle, last)
		if err != nil {
			return 0, 0, err
		}
		if added.Before(at) {
			first = middle
		} else {
			last = middle
		}
	}
	return first, last, nil
}

// added returns the time when a line was added, or one of the next ones that says so.
func (c *streamChain) added(ctx context.Context, from, to int) (time.Time, error) {
	page, err := c.client.XRangeN(ctx, c.names.stream(c.name), entryID(from), entryID(to), 16).Result()
	for _, entry := range page {
		text := linePlace("", entry).text
		if r, err := parseRecord(text); err == nil {
			return r.Time.Add(r.Duration), nil
		}
		l, err := parseLine(text)
		if err == nil && l.note != nil && l.note.Head != nil {
			if signed, err := time.Parse(timeFormat, l.note.Head.Time); err == nil {
				return signed, nil
			}
		}
	}
	return time.Time{}, err
}

package catalog

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/rulesets/selection"
)

// A position is the place of a ruleset among the results of a query. It stays good
// while others come and go, except that each change moves scores a little.
type position struct {
	rank uint64
	name ruleset.Name
}

func (p position) compare(o position) int {
	return cmp.Or(cmp.Compare(p.rank, o.rank), cmp.Compare(p.name, o.name))
}

// String returns the position as a cursor.
func (p position) String() string { return strconv.FormatUint(p.rank, 16) + "." + string(p.name) }

func parsePosition(cursor string) (position, error) {
	rank, name, ok := strings.Cut(cursor, ".")
	n, err := strconv.ParseUint(rank, 16, 64)
	valid, nameErr := ruleset.ParseName(name)
	if !ok || err != nil || nameErr != nil {
		return position{}, errors.New("it is not the cursor of an earlier answer")
	}
	return position{n, valid}, nil
}

// byScore has the best first.
func byScore(score float32) uint64 { return uint64(^math.Float32bits(score)) }

// byCreation has the order of lists. Times before 1970 are possible.
func byCreation(unix int64) uint64 { return uint64(unix) ^ 1<<63 }

// byPlace has the rulesets that apply first, then the order in which they are read.
func byPlace(applies bool, layer selection.Layer, order int) uint64 {
	order = min(max(order, math.MinInt32), math.MaxInt32)
	rank := uint64(layer)<<32 | uint64(uint32(order)^1<<31)
	if !applies {
		rank |= 1 << 62
	}
	return rank
}

// A page is the first so many candidates after a position, in order.
type page struct {
	after *position
	limit int // one more than wanted: whether there is a next page
	best  []candidate
}

func (p *page) add(c candidate) {
	if p.after != nil && c.compare(*p.after) <= 0 {
		return
	}
	if len(p.best) == p.limit {
		if c.compare(p.best[p.limit-1].position) >= 0 {
			return
		}
		p.best = p.best[:p.limit-1]
	}
	at, _ := slices.BinarySearchFunc(p.best, c, func(a, b candidate) int { return a.compare(b.position) })
	p.best = slices.Insert(p.best, at, c)
}

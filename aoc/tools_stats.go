package aoc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/aoc/race"
	"github.com/triptych-mcp/triptych/mcp"
)

type progressArgs struct {
	Year        *int    `json:"year"`
	Leaderboard *string `json:"leaderboard" doc:"Show this private leaderboard instead"`
}

// Validate implements the checks that the schema cannot express.
func (a progressArgs) Validate() error { return checkDay(a.Year, 1) }

func (t *tools) progress(ctx context.Context, call *mcp.Call, args progressArgs) (progress, error) {
	if args.Year == nil && args.Leaderboard != nil {
		if year := YearOfBoard(*args.Leaderboard); year != 0 {
			args.Year = &year
		}
	}
	p, err := t.puzzleOf(call, args.Year, 1)
	if err != nil {
		return progress{}, err
	}
	if args.Leaderboard != nil {
		board, err := t.whose(call).Leaderboard(ctx, p.Year, *args.Leaderboard)
		if err != nil {
			return progress{}, err
		}
		members, err := membersOf(board.Board)
		return progress{Year: p.Year, Members: members, Fetched: board.Fetched}, err
	}
	stars, err := t.whose(call).Stars(ctx, p.Year)
	if err != nil {
		return progress{}, err
	}
	list := progress{Year: p.Year, Fetched: stars.Fetched}
	for _, day := range slices.Sorted(maps.Keys(stars.ByDay)) {
		list.Stars = append(list.Stars, dayStars{day, stars.ByDay[day]})
	}
	return list, nil
}

// membersOf returns the members of a private leaderboard, best first.
func membersOf(raw json.RawMessage) ([]memberScore, error) {
	var board struct {
		Members map[string]struct {
			ID       int64    `json:"id"`
			Name     *string  `json:"name"`
			Stars    int      `json:"stars"`
			Score    int      `json:"local_score"`
			LastStar unixTime `json:"last_star_ts"`
		} `json:"members"`
	}
	if err := json.Unmarshal(raw, &board); err != nil {
		return nil, fmt.Errorf("the leaderboard cannot be read: %w", err)
	}
	all := []memberScore{}
	for _, m := range board.Members {
		name := fmt.Sprintf("(anonymous user #%d)", m.ID) // as the site shows them
		if m.Name != nil && strings.TrimSpace(*m.Name) != "" {
			name = *m.Name
		}
		all = append(all, memberScore{Name: name, Stars: m.Stars, Score: m.Score, LastStar: m.LastStar.time()})
	}
	sortMembers(all)
	return all, nil
}

// A unixTime is a time in seconds, as a number or, in older leaderboards, as a string; 0
// is none.
type unixTime int64

// UnmarshalJSON implements [json.Unmarshaler].
func (u *unixTime) UnmarshalJSON(text []byte) error {
	seconds, err := strconv.ParseInt(strings.Trim(string(text), `"`), 10, 64)
	*u = unixTime(max(seconds, 0)) // another value is no time
	if err != nil {
		*u = 0
	}
	return nil
}

func (u unixTime) time() time.Time {
	if u == 0 {
		return time.Time{}
	}
	return time.Unix(int64(u), 0).UTC()
}

type statsArgs struct {
	Year    *int       `json:"year"`
	Day     *int       `json:"day"`
	Phase   *int       `json:"phase" min:"1" max:"2"`
	Details *bool      `json:"details" doc:"Add each puzzle and each pair of models"`
	Kind    *race.Kind `json:"kind" doc:"Times of models (default) or of programs" enum:"solve|program"`
}

// Validate implements the checks that the schema cannot express.
func (a statsArgs) Validate() error {
	day := 1
	if a.Day != nil {
		day = *a.Day
	}
	return checkDay(a.Year, day)
}

func (t *tools) speedStats(_ context.Context, call *mcp.Call, args statsArgs) (comparison, error) {
	book, err := t.bookToRead(call, args.Year)
	if err != nil {
		return comparison{}, err
	}
	filter := Filter{}
	if args.Day != nil {
		filter.Day = Day(*args.Day)
	}
	if args.Phase != nil {
		filter.Phase = Phase(*args.Phase)
	}
	runs, unreadable := book.Runs(filter)
	kind := race.Solve
	if args.Kind != nil {
		kind = *args.Kind
	}
	c := comparison{Race: *race.New(kind, runs), Year: book.year, runs: len(runs)}
	for i := range runs {
		if runs[i].Kind != kind {
			c.others++
		}
	}
	c.details = args.Details != nil && *args.Details
	if !c.details {
		c.Results, c.Duels = nil, nil
	}
	if unreadable != nil {
		c.Unreadable = unreadable.Error()
	}
	return c, nil
}

// A Filter selects runs; zero fields select all.
type Filter struct {
	Day   Day
	Phase Phase
}

// Runs returns the recorded runs of the book's year, under the canonical names of
// their models. The error names the files that cannot be read; the runs of the
// others are returned all the same.
func (b *Book) Runs(filter Filter) ([]race.Run, error) {
	aliases, unreadable := b.Aliases()
	var speeds [LastDay + 1][]Speed
	var errs [LastDay + 1]error
	var wg sync.WaitGroup
	for day := Day(1); day <= LastDay; day++ {
		if filter.Day == 0 || day == filter.Day {
			wg.Go(func() { speeds[day], errs[day] = b.speedsCached(day) })
		}
	}
	wg.Wait()
	var runs []race.Run
	for day, list := range speeds {
		for _, s := range list {
			if filter.Phase == 0 || s.Phase == filter.Phase {
				runs = append(runs, b.run(Day(day), s, aliases))
			}
		}
	}
	return runs, errors.Join(append(errs[:], unreadable)...)
}

func (b *Book) run(day Day, s Speed, aliases map[string]string) race.Run {
	model := s.LLM
	if name, ok := aliases[model]; ok {
		model = name
	}
	return race.Run{
		Puzzle: race.Puzzle{Year: b.year, Day: int(day), Part: int(s.Phase)}, Kind: s.Details.RunKind(),
		Model: model, MS: s.SpeedMS, Correct: s.Details.Correct,
		Language: valueOf(s.Details.Language), Attempts: valueOf(s.Details.Attempts), Timed: valueOf(s.Details.TimedMS),
		TokensIn: s.Details.TokensIn, TokensOut: s.Details.TokensOut, CostUSD: s.Details.CostUSD,
		CPU: valueOf(s.Details.CPUMS), Memory: valueOf(s.Details.Memory),
	}
}

// valueOf returns what a pointer points to, the zero value for nil.
func valueOf[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

package race

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"
)

// A boardMember is a member of a private leaderboard, in the site's JSON.
type boardMember struct {
	ID         int                             `json:"id"`
	Name       string                          `json:"name"`
	Stars      int                             `json:"stars"`
	LocalScore int                             `json:"local_score"`
	LastStar   int64                           `json:"last_star_ts"`
	Days       map[string]map[string]boardStar `json:"completion_day_level"`
	stars      map[Puzzle]time.Duration        // from the unlock
}

type boardStar struct {
	At    int64 `json:"get_star_ts"` // Unix seconds
	Index int   `json:"star_index"`
}

// Leaderboard returns the race of a year as a private leaderboard in the site's JSON, as
// bots and badges read it. A model's first star of a day comes its median time after
// the unlock, and the second one its median time after that. days is the number of
// puzzles of the year, and opens returns when a day opens.
func (r *Race) Leaderboard(year, days int, opens func(day int) time.Time) ([]byte, error) {
	members := map[string]*boardMember{}
	for i, name := range slices.Sorted(maps.Keys(r.models())) {
		members[name] = &boardMember{ID: i + 1, Name: name, Days: map[string]map[string]boardStar{}, stars: map[Puzzle]time.Duration{}}
	}
	for _, result := range r.Results { // the first part of a day comes before the second
		if result.Rank == 0 || result.Year != year && result.Year != 0 {
			continue
		}
		m := members[result.Model]
		took := time.Duration(result.Median) * time.Millisecond
		if result.Part == 2 {
			took += m.stars[Puzzle{result.Year, result.Day, 1}]
		}
		m.stars[result.Puzzle] = took
	}
	board := map[string]any{
		"event": strconv.Itoa(year), "num_days": days, "owner_id": 1, "day1_ts": opens(1).Unix(), "members": byID(members),
	}
	award(members, opens)
	return json.MarshalIndent(board, "", "  ")
}

func (r *Race) models() map[string]bool {
	all := map[string]bool{}
	for _, s := range r.Standings {
		all[s.Model] = true
	}
	return all
}

func byID(members map[string]*boardMember) map[string]*boardMember {
	all := map[string]*boardMember{}
	for _, m := range members {
		all[strconv.Itoa(m.ID)] = m
	}
	return all
}

// award sets the stars and, by the site's rule, the scores: of n members the first to
// get a star has n points, the next one n-1.
func award(members map[string]*boardMember, opens func(day int) time.Time) {
	type star struct {
		Puzzle

		took   time.Duration
		member *boardMember
	}
	var all []star
	for _, m := range members {
		for p, took := range m.stars {
			all = append(all, star{p, took, m})
		}
	}
	slices.SortFunc(all, func(a, b star) int {
		return cmp.Or(comparePuzzles(a.Puzzle, b.Puzzle), cmp.Compare(a.took, b.took), cmp.Compare(a.member.ID, b.member.ID))
	})
	place := 0
	for i, s := range all {
		if place++; i == 0 || all[i-1].Puzzle != s.Puzzle {
			place = 0
		}
		seconds := int64((s.took + time.Second - 1) / time.Second)
		at := opens(s.Day).Unix() + seconds
		day, m := strconv.Itoa(s.Day), s.member
		if m.Days[day] == nil {
			m.Days[day] = map[string]boardStar{}
		}
		m.Days[day][strconv.Itoa(s.Part)] = boardStar{At: at, Index: i}
		m.Stars++
		m.LocalScore += len(members) - place
		m.LastStar = max(m.LastStar, at)
	}
}

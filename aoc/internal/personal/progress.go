package personal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/triptych-mcp/triptych/aoc/internal/site"
)

// Stars holds the user's stars of a year.
type Stars struct {
	Fetched time.Time   `json:"fetched"`
	ByDay   map[int]int `json:"stars"` // days that are open
}

func (f *Folder) starsPath(year int) string { return filepath.Join(f.year(year), "stars.json") }

// Stars returns the user's stars, at most 15 minutes old.
func (f *Folder) Stars(ctx context.Context, year int) (Stars, error) {
	var stars Stars
	err := f.refresh(ctx, f.starsPath(year), &stars, func() time.Time { return stars.Fetched },
		func(client *site.Client) error {
			byDay, err := client.Stars(ctx, year)
			for day, n := range stars.ByDay { // stars are never lost
				if err == nil {
					byDay[day] = max(byDay[day], n)
				}
			}
			stars = Stars{Fetched: f.cfg.Now().UTC(), ByDay: byDay}
			return err
		})
	return stars, err
}

// A Leaderboard is a private leaderboard as the site's JSON.
type Leaderboard struct {
	Fetched time.Time       `json:"fetched"`
	Board   json.RawMessage `json:"board"`
}

// Leaderboard returns a private leaderboard, at most 15 minutes old. board is its
// number or address; a read-only link needs no session.
func (f *Folder) Leaderboard(ctx context.Context, year int, address string) (Leaderboard, error) {
	var board Leaderboard
	id, err := site.ParseBoard(address)
	if err != nil {
		return board, err
	}
	path := filepath.Join(f.year(year), fmt.Sprintf("leaderboard-%s.json", id.ID))
	err = f.refresh(ctx, path, &board, func() time.Time { return board.Fetched },
		func(client *site.Client) error {
			raw, err := client.Leaderboard(ctx, year, id)
			if err == nil && !json.Valid(raw) {
				err = errors.New("the site's leaderboard is not JSON")
			}
			board = Leaderboard{Fetched: f.cfg.Now().UTC(), Board: raw}
			return err
		})
	return board, err
}

// EventDays returns the number of puzzles of a year: as the newest leaderboard of it
// says, else as is known of the site.
func (f *Folder) EventDays(year int) int {
	paths, _ := filepath.Glob(filepath.Join(f.year(year), "leaderboard-*.json")) // the pattern is valid
	for _, path := range paths {
		var stored struct {
			Board struct {
				Days int `json:"num_days"`
			} `json:"board"`
		}
		if _, err := readJSON(path, &stored); err == nil && stored.Board.Days >= 1 && stored.Board.Days <= 25 {
			return stored.Board.Days
		}
	}
	return site.Days(year)
}

// refresh reads a JSON file into v. If the file is missing or too old, it calls
// download, which must set v, and writes the file.
func (f *Folder) refresh(ctx context.Context, path string, v any, fetched func() time.Time, download func(*site.Client) error) error {
	unlock, err := f.lock(ctx, filepath.Dir(path))
	if err != nil {
		return err
	}
	defer unlock()
	ok, err := readJSON(path, v)
	if err != nil {
		return err
	}
	if age := f.cfg.Now().Sub(fetched()); ok && age >= 0 && age < site.LeaderboardInterval {
		return nil
	}
	client, err := f.client()
	if err != nil {
		return err
	}
	if err := download(client); err != nil {
		return err
	}
	return writeJSON(path, v)
}

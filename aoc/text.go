package aoc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/aoc/race"
)

const (
	dayTemplate = "aoc://day{day}"
	mimeType    = "text/plain"
)

// fetched is the answer of fetch_instruction.
type fetched struct {
	Year   int     `json:"year,omitempty"`
	Day    int     `json:"day"`
	Phase1 string  `json:"phase1"`
	Phase2 *string `json:"phase2,omitempty"`
	Note   string  `json:"note,omitempty"` // what the user should know about the answer

	assumed bool // no year was given: that of the current event is meant
}

// Text returns the puzzle in the documented form. If the call has not named its year, the
// heading does.
func (f fetched) Text() string {
	text := Instruction{Day: Day(f.Day), Phase1: f.Phase1, Phase2: f.Phase2}.Text()
	if f.assumed {
		heading := fmt.Sprintf("# Day %d", f.Day)
		text = heading + fmt.Sprintf(" of %d", f.Year) + strings.TrimPrefix(text, heading)
	}
	if f.Note != "" {
		text += "\n\n" + f.Note
	}
	return text
}

// recorded is the answer of record_speed.
type recorded struct {
	Year    int    `json:"year,omitempty"`
	LLM     string `json:"llm_name"`
	Day     int    `json:"day"`
	Phase   int    `json:"phase"`
	SpeedMS int64  `json:"speed_ms"`
	AvgMS   int64  `json:"avg_ms"`
	TimedMS int64  `json:"timed_ms,omitempty"` // by the server's clock
}

// Text returns the documented confirmation.
func (r recorded) Text() string {
	return fmt.Sprintf("Recorded %s Day %d Phase %d: %dms (avg: %dms)", r.LLM, r.Day, r.Phase, r.SpeedMS, r.AvgMS)
}

// input is the answer of fetch_input.
type input struct {
	Year    int    `json:"year"`
	Day     int    `json:"day"`
	Example int    `json:"example,omitempty"`
	Part    int    `json:"part,omitempty"`
	Data    string `json:"data"`
	Answer  string `json:"answer,omitempty"` // to the example
}

// Text returns the data and, for an example, its answer.
func (i input) Text() string {
	if i.Answer == "" {
		return i.Data
	}
	return strings.TrimSuffix(i.Data, "\n") + fmt.Sprintf("\n\nAnswer to part %d: %s", i.Part, i.Answer)
}

// submitted is the answer of submit_answer.
type submitted struct {
	Year    int    `json:"year"`
	Day     int    `json:"day"`
	Part    int    `json:"part"`
	Answer  string `json:"answer"`
	Outcome string `json:"outcome"`
	WaitS   int    `json:"wait_s,omitempty"`
	TimedMS int64  `json:"timed_ms,omitempty"` // by the server's clock, if the answer is correct
	Message string `json:"message"`

	given string // the answer before it was cleaned
}

// outcomes describes the outcomes of a submission.
var outcomes = map[string]string{
	"correct": "is correct", "wrong": "is wrong", "too_high": "is too high", "too_low": "is too low",
	"too_recent": "was not judged: the last answer was sent too recently", "wrong_level": "was not judged: this part is solved or not open",
	"all_finished": "is correct, and the last one",
}

// Text returns the verdict in a sentence.
func (s submitted) Text() string {
	text := fmt.Sprintf("%s %s (%d day %d part %d)", s.Answer, outcomes[s.Outcome], s.Year, s.Day, s.Part)
	if given := strings.TrimSpace(s.given); given != s.Answer {
		text += fmt.Sprintf("; %s was sent for %q", s.Answer, given)
	}
	if s.TimedMS > 0 {
		text += "; " + race.Duration(s.TimedMS) + " since its text was fetched"
	}
	if s.WaitS > 0 {
		text += fmt.Sprintf("; wait %s before the next answer", time.Duration(s.WaitS)*time.Second)
	}
	return text
}

// progress is the answer of aoc_progress: stars or the members of a leaderboard.
type progress struct {
	Year    int           `json:"year"`
	Fetched time.Time     `json:"fetched"`
	Stars   []dayStars    `json:"stars,omitempty"` // days that are open, in order
	Members []memberScore `json:"members,omitempty"`
}

// dayStars is a day of the calendar.
type dayStars struct {
	Day   int `json:"day"`
	Stars int `json:"stars"` // 0 to 2
}

// memberScore is a member of a private leaderboard.
type memberScore struct {
	Name     string    `json:"name"`
	Stars    int       `json:"stars"`
	Score    int       `json:"score"`
	LastStar time.Time `json:"last_star,omitzero"`
}

// sortMembers sorts members, best first; of the same score and stars, that whose last
// star is older.
func sortMembers(all []memberScore) {
	slices.SortFunc(all, func(a, b memberScore) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Stars, a.Stars), a.LastStar.Compare(b.LastStar), cmp.Compare(a.Name, b.Name))
	})
}

// Text returns a line for each day or member.
func (p progress) Text() string {
	var b strings.Builder
	total := 0
	for _, day := range p.Stars {
		fmt.Fprintf(&b, "day %d: %s\n", day.Day, strings.Repeat("*", day.Stars))
		total += day.Stars
	}
	for i, m := range p.Members {
		fmt.Fprintf(&b, "%d. %s: %d points, %d stars\n", i+1, m.Name, m.Score, m.Stars)
	}
	if p.Members != nil {
		fmt.Fprintf(&b, "%d members in %d", len(p.Members), p.Year)
	}
	if p.Members == nil {
		fmt.Fprintf(&b, "%d stars in %d", total, p.Year)
	}
	return strings.TrimSuffix(b.String(), "\n") + fmt.Sprintf(" (as of %s)", p.Fetched.Format("2006-01-02 15:04 UTC"))
}

// comparison is the answer of speed_stats.
type comparison struct {
	race.Race

	Year       int    `json:"year,omitempty"`
	Unreadable string `json:"unreadable,omitempty"` // files that were left out, and why

	runs    int
	others  int // runs of another kind
	details bool
}

// Text returns the tables.
func (c comparison) Text() string {
	text := c.Summary()
	switch {
	case c.runs == 0:
		text = "No speeds are recorded.\n"
	case c.details:
		text = c.Details() + "\n" + text
	}
	if c.others > 0 {
		text += fmt.Sprintf("\n%d runs of another kind are not compared with these.", c.others)
	}
	if c.Unreadable != "" {
		text += "\nNot counted: " + c.Unreadable
	}
	return strings.TrimSuffix(text, "\n")
}

package personal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/triptych-mcp/triptych/aoc/internal/site"
)

// A Guess is a submitted answer and the site's verdict on it.
type Guess struct {
	Part    int          `json:"part"`
	Answer  string       `json:"answer"`
	Outcome site.Outcome `json:"outcome"`
	At      time.Time    `json:"at"`
	WaitS   int          `json:"wait_s,omitempty"` // seconds that the site refuses further answers
	Message string       `json:"message,omitempty"`
}

// guesses is the file of a day's guesses, oldest first.
type guesses struct {
	Day     int     `json:"day"`
	Guesses []Guess `json:"guesses"`
}

// A RefusedError reports an answer that was not sent, because it cannot be right or
// would be refused.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string { return "the answer was not sent: " + e.Reason }

func refuse(format string, args ...any) error { return &RefusedError{fmt.Sprintf(format, args...)} }

func (f *Folder) guessPath(p site.Puzzle) string {
	return filepath.Join(f.year(p.Year), "guesses", fmt.Sprintf("day%02d.json", p.Day))
}

// Guesses returns the guesses for a puzzle, oldest first.
func (f *Folder) Guesses(p site.Puzzle) ([]Guess, error) {
	var file guesses
	_, err := readJSON(f.guessPath(p), &file)
	return file.Guesses, err
}

// A Submission is the outcome of [Folder.Submit].
type Submission struct {
	site.Verdict

	Answer string // as it was sent, which may differ from what was given
}

// Submit submits an answer and records the verdict. It sends nothing and returns a
// [RefusedError] if the text cannot be an answer, was rejected before, lies beyond a
// known bound, equals the answer to part one, belongs to a part that is solved or not
// open, or if the site still refuses answers. An answer that was accepted before is
// [site.Correct] again without a request.
//
// The answer is on disk before it is sent. If the program ends before the verdict, or
// the site does not answer, the answer is not sent again unless again is true.
func (f *Folder) Submit(ctx context.Context, p site.Puzzle, part int, text string, again bool) (Submission, error) {
	answer, err := cleanAnswer(text)
	if err != nil {
		return Submission{}, err
	}
	unlock, err := f.lock(ctx, filepath.Dir(f.guessPath(p)))
	if err != nil {
		return Submission{}, err
	}
	defer unlock()
	known, err := f.Guesses(p)
	if err != nil {
		return Submission{}, err
	}
	puzzle, err := f.forSubmission(ctx, p, part, known)
	if err != nil {
		return Submission{}, err
	}
	if done, err := check(puzzle, known, part, answer, again, f.cfg.Now()); done || err != nil {
		return Submission{site.Verdict{Outcome: site.Correct, Message: "This answer was accepted before."}, answer}, errors.Join(err, f.settle(puzzle, known))
	}
	if err := f.checkLastStar(ctx, p, part); err != nil {
		return Submission{}, err
	}
	verdict, err := f.send(ctx, p, part, answer, known)
	return Submission{verdict, answer}, err
}

// forSubmission returns the puzzle, as far as it is known to be solved. The site is
// asked again if a verdict is missing, and if part one may have been solved in a browser.
func (f *Folder) forSubmission(ctx context.Context, p site.Puzzle, part int, known []Guess) (*Puzzle, error) {
	puzzle, err := f.Puzzle(ctx, p)
	if err != nil {
		return nil, err
	}
	lost := slices.IndexFunc(known, func(g Guess) bool {
		return g.Part == part && g.Outcome == site.Unknown && !puzzle.Fetched.After(g.At)
	})
	switch {
	case part <= puzzle.solved():
	case lost >= 0:
		puzzle, err = f.DownloadAgain(ctx, p)
	case part > puzzle.solved()+1:
		puzzle, err = f.Refresh(ctx, p)
	}
	return puzzle, err
}

// send submits an answer and records it, before and after. The guesses are locked.
func (f *Folder) send(ctx context.Context, p site.Puzzle, part int, answer string, known []Guess) (site.Verdict, error) {
	client, err := f.client()
	if err != nil {
		return site.Verdict{}, err
	}
	// From here on the answer counts, so its verdict is recorded even if the caller
	// gives up.
	ctx = context.WithoutCancel(ctx)
	guess := Guess{Part: part, Answer: answer, Outcome: site.Unknown, At: f.cfg.Now().UTC()}
	if err := f.record(p, known, guess); err != nil {
		return site.Verdict{}, fmt.Errorf("the answer was not sent, since it cannot be recorded: %w", err)
	}
	verdict, err := client.Submit(ctx, p, part, answer)
	if lost, ok := errors.AsType[*site.UnknownVerdictError](err); ok {
		guess.Message = lost.Error()
		return site.Verdict{}, errors.Join(err, f.record(p, known, guess))
	}
	if err != nil { // it was not judged
		return site.Verdict{}, errors.Join(err, f.record(p, known))
	}
	guess.Outcome, guess.At = verdict.Outcome, f.cfg.Now().UTC()
	guess.WaitS, guess.Message = int(verdict.Wait.Seconds()), verdict.Message
	err = f.record(p, known, guess)
	switch verdict.Outcome {
	case site.Correct, site.AllFinished:
		err = errors.Join(err, f.accept(ctx, p, part, answer))
	case site.WrongLevel: // it was solved elsewhere: the page has the answer
		puzzle, downloadErr := f.DownloadAgain(ctx, p)
		if err = errors.Join(err, downloadErr); puzzle != nil {
			verdict = compare(verdict, puzzle, part, answer)
		}
	}
	return verdict, err
}

// settle records the verdict on accepted answers whose verdict was lost. The guesses are
// locked.
func (f *Folder) settle(puzzle *Puzzle, known []Guess) error {
	changed := false
	for i, g := range known {
		if g.Outcome == site.Unknown && puzzle.IsSolved(g.Part) && puzzle.Answers[g.Part-1] == g.Answer {
			known[i].Outcome, known[i].Message, changed = site.Correct, "The page of the puzzle shows it.", true
		}
	}
	if !changed {
		return nil
	}
	return f.record(puzzle.Puzzle, known)
}

// record writes the guesses for a puzzle: the known ones and more.
func (f *Folder) record(p site.Puzzle, known []Guess, more ...Guess) error {
	return writeJSON(f.guessPath(p), guesses{Day: p.Day, Guesses: slices.Concat(known, more)})
}

// compare returns the verdict on an answer to a part that was solved already, by the
// accepted answer on the puzzle's page.
func compare(v site.Verdict, puzzle *Puzzle, part int, answer string) site.Verdict {
	switch {
	case part > puzzle.solved():
	case puzzle.Answers[part-1] == answer:
		v.Outcome = site.Correct
		v.Message += " This is the answer that was accepted before."
	default:
		v.Message += " The accepted answer is " + puzzle.Answers[part-1] + "."
	}
	return v
}

// DownloadAgain replaces a stored puzzle that is outdated, and returns what is known of
// it.
func (f *Folder) DownloadAgain(ctx context.Context, p site.Puzzle) (*Puzzle, error) {
	unlock, err := f.lock(ctx, f.day(p))
	if err != nil {
		return nil, err
	}
	defer unlock()
	if _, err := f.download(ctx, p); err != nil {
		return nil, err
	}
	return f.Stored(p)
}

// accept adds an accepted answer to the stored puzzle.
func (f *Folder) accept(ctx context.Context, p site.Puzzle, part int, answer string) error {
	unlock, err := f.lock(ctx, f.day(p))
	if err != nil {
		return err
	}
	defer unlock()
	if err := os.Remove(f.starsPath(p.Year)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // there is a star more now
	}
	puzzle, err := f.Stored(p)
	if err != nil || puzzle == nil || puzzle.solved() != part-1 {
		return err
	}
	puzzle.Answers = append(puzzle.Answers, answer)
	return writeJSON(filepath.Join(f.day(p), "puzzle.json"), puzzle)
}

// check reports whether an answer was accepted before, and returns an error if it
// must not be sent.
func check(puzzle *Puzzle, known []Guess, part int, answer string, again bool, now time.Time) (done bool, err error) {
	switch {
	case part <= puzzle.solved() && puzzle.Answers[part-1] == answer:
		return true, nil
	case part <= puzzle.solved():
		return false, refuse("part %d is solved; the accepted answer is %s", part, puzzle.Answers[part-1])
	case part > puzzle.solved()+1:
		return false, refuse("part 2 opens when part 1 is solved")
	case part == 2 && puzzle.Answers[0] == answer:
		return false, refuse("it equals the answer to part 1")
	}
	for _, g := range known {
		if g.Part == part && g.Answer == answer && g.Outcome.Rejected() {
			return false, refuse("the site rejected it on %s (%s)", g.At.Format("2006-01-02 15:04 UTC"), g.Outcome)
		}
		if g.Part == part && g.Answer == answer && g.Outcome == site.Unknown && !again {
			return false, refuse("it was sent on %s, its verdict was lost, and the site shows the part as unsolved: "+
				"it was wrong, or it did not arrive; if you are sure of it, run triptych aoc submit --again", g.At.Format("2006-01-02 15:04 UTC"))
		}
	}
	if err := checkBounds(known, part, answer); err != nil {
		return false, err
	}
	return false, checkLock(known, now)
}

// checkBounds refuses numbers beyond a guess that was too high or too low.
func checkBounds(known []Guess, part int, answer string) error {
	n, ok := new(big.Int).SetString(answer, 10)
	if !ok {
		return nil
	}
	for _, g := range known {
		bound, ok := new(big.Int).SetString(g.Answer, 10)
		if g.Part != part || !ok {
			continue
		}
		if g.Outcome == site.TooHigh && n.Cmp(bound) >= 0 {
			return refuse("%s was too high already", g.Answer)
		}
		if g.Outcome == site.TooLow && n.Cmp(bound) <= 0 {
			return refuse("%s was too low already", g.Answer)
		}
	}
	return nil
}

// A WaitError reports that the site refuses answers to a puzzle until a time.
type WaitError struct{ Until time.Time }

func (e *WaitError) Error() string {
	return "the answer was not sent: the site refuses answers to this puzzle until " + e.Until.UTC().Format("15:04:05 UTC")
}

// checkLock returns a [WaitError] while the site refuses answers.
func checkLock(known []Guess, now time.Time) error {
	for _, g := range slices.Backward(known) {
		if until := g.At.Add(time.Duration(g.WaitS) * time.Second); now.Before(until) {
			return &WaitError{until}
		}
	}
	return nil
}

// checkLastStar refuses part two of a year's last puzzle until all other stars are
// there: 49 up to 2024, 23 from 2025 on.
func (f *Folder) checkLastStar(ctx context.Context, p site.Puzzle, part int) error {
	if part != 2 || p.Day != site.Days(p.Year) {
		return nil
	}
	stars, err := f.Stars(ctx, p.Year)
	if err != nil {
		return err
	}
	have, want := 0, 2*site.Days(p.Year)-1
	for _, n := range stars.ByDay {
		have += n
	}
	if have < want {
		return refuse("the last star needs the %d others; %d are there (as of %s)", want, have, stars.Fetched.Format("15:04 UTC"))
	}
	return nil
}

package site

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// An Outcome classifies the site's answer to a submitted answer.
type Outcome string

// The outcomes.
const (
	Correct     Outcome = "correct"
	Wrong       Outcome = "wrong"
	TooHigh     Outcome = "too_high"
	TooLow      Outcome = "too_low"
	TooRecent   Outcome = "too_recent"   // not judged; see Verdict.Wait
	WrongLevel  Outcome = "wrong_level"  // solved already, or not open
	AllFinished Outcome = "all_finished" // every puzzle of the year is solved
	// Unknown is the outcome of an answer that was being sent when the program ended, or
	// that the site did not answer.
	Unknown Outcome = "unknown"
)

// Judged reports whether the site compared the answer with its own.
func (o Outcome) Judged() bool {
	return o.Accepted() || o.Rejected()
}

// Accepted reports whether the answer is right.
func (o Outcome) Accepted() bool { return o == Correct || o == AllFinished }

// Rejected reports whether the answer is wrong.
func (o Outcome) Rejected() bool { return o == Wrong || o == TooHigh || o == TooLow }

// A Verdict is the site's answer to a submitted answer.
type Verdict struct {
	Outcome Outcome
	Wait    time.Duration // before the next answer is accepted; 0 if none is needed
	Message string        // the site's words
}

// phrases are the texts that identify an outcome, most specific first. They are
// those that aocd (aocd/models.py) and aoc-client (lib.rs) look for.
var phrases = []struct {
	all     []string
	outcome Outcome
}{
	{[]string{"That's the right answer"}, Correct},
	{[]string{"You've finished every puzzle"}, AllFinished},
	{[]string{"That's not the right answer", "your answer is too high"}, TooHigh},
	{[]string{"That's not the right answer", "your answer is too low"}, TooLow},
	{[]string{"That's not the right answer"}, Wrong},
	{[]string{"You gave an answer too recently"}, TooRecent},
	{[]string{"You don't seem to be solving the right level"}, WrongLevel},
}

// defaultWait is the wait after a wrong answer if the site names none.
const defaultWait = time.Minute

// parseVerdict parses the page that answers a submission.
func parseVerdict(page []byte) (Verdict, error) {
	message, err := verdictText(page)
	if err != nil {
		return Verdict{}, err
	}
	for _, row := range phrases {
		if containsAll(message, row.all) {
			return Verdict{Outcome: row.outcome, Wait: wait(row.outcome, message), Message: message}, nil
		}
	}
	if strings.Contains(message, "please identify yourself") {
		return Verdict{}, ErrSessionRejected
	}
	return Verdict{}, fmt.Errorf("the site's answer is not understood: %.200q", message)
}

// verdictText returns the text of the page's article with white space collapsed.
func verdictText(page []byte) (string, error) {
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		return "", err
	}
	for article := range elements(root, atom.Article) {
		return strings.Join(strings.Fields(textOf(article)), " "), nil
	}
	return "", errors.New("the site's answer has no text")
}

func containsAll(text string, phrases []string) bool {
	for _, phrase := range phrases {
		if !strings.Contains(text, phrase) {
			return false
		}
	}
	return true
}

var (
	left    = regexp.MustCompile(`[Yy]ou have ((?:\d{1,4}[hms] )+)left to wait`)
	minutes = regexp.MustCompile(`[Pp]lease wait (\w+) minutes? before trying again`)
)

// numerals are the numbers that the site spells out.
var numerals = map[string]int{"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "ten": 10, "fifteen": 15, "thirty": 30}

// wait returns how long the site refuses further answers.
func wait(outcome Outcome, message string) time.Duration {
	if m := left.FindStringSubmatch(message); m != nil {
		if d, err := time.ParseDuration(strings.ReplaceAll(m[1], " ", "")); err == nil {
			return d
		}
	}
	if m := minutes.FindStringSubmatch(message); m != nil {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			n = numerals[m[1]]
		}
		return time.Duration(max(n, 1)) * time.Minute
	}
	if outcome.Rejected() || outcome == TooRecent {
		return defaultWait
	}
	return 0
}

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// A judgement is the verdict of a reader on one of the first five answers to a fix.
type judgement struct {
	project, commit string
	site, answer    string // file:line
	verdict, reason string
}

// verdicts lists what a reader may say of an answer.
var verdicts = []string{"same", "risk", "no"}

// readJudgements reads the table of judged answers.
func readJudgements(name string) ([]judgement, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	var all []judgement
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		columns := strings.Split(lines.Text(), "\t")
		if len(columns) != 6 || !slices.Contains(verdicts, columns[4]) {
			return nil, fmt.Errorf("row %q is no judgement", lines.Text())
		}
		all = append(all, judgement{columns[0], columns[1], columns[2], columns[3], columns[4], columns[5]})
	}
	return all, lines.Err()
}

// judgedPrecision returns the share of the answers that a reader would call the same
// bug or the same risk.
func judgedPrecision(all []judgement) float64 {
	right := 0
	for _, j := range all {
		if j.verdict != "no" {
			right++
		}
	}
	return float64(right) / float64(max(1, len(all)))
}

// printJudged prints the precision by the table of judged answers.
func printJudged(out io.Writer, name string) error {
	all, err := readJudgements(name)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%d answers judged by reading: precision@5 %.2f\n", len(all), judgedPrecision(all))
	return err
}

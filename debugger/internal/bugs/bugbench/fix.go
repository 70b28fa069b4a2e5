package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// A place is a line of a file in the parent commit.
type place struct {
	file string
	line int
}

// String is FILE:LINE.
func (p place) String() string { return fmt.Sprintf("%s:%d", p.file, p.line) }

// A fix is a commit that changed several places alike.
type fix struct {
	project, commit, language string
	places                    []place // the first is the query
}

// String is a row of the table of fixes.
func (f fix) String() string {
	var places []string
	for _, p := range f.places {
		places = append(places, p.String())
	}
	return strings.Join([]string{f.project, f.commit, f.language, strings.Join(places, " ")}, "\t")
}

// parseFix reads a row.
func parseFix(row string) (fix, error) {
	columns := strings.Split(row, "\t")
	if len(columns) != 4 {
		return fix{}, fmt.Errorf("row %q has not four columns", row)
	}
	f := fix{project: columns[0], commit: columns[1], language: columns[2]}
	for _, text := range strings.Fields(columns[3]) {
		colon := strings.LastIndexByte(text, ':')
		line, err := strconv.Atoi(text[colon+1:])
		if err != nil {
			return fix{}, fmt.Errorf("row %q: %w", row, err)
		}
		f.places = append(f.places, place{text[:max(colon, 0)], line})
	}
	return f, nil
}

// half is the half of the fixes that f belongs to.
func (f fix) half() string {
	if strings.ContainsRune("02468ace", rune(f.commit[0])) {
		return "tuning"
	}
	return "reporting"
}

// readFixes reads the fixes of a half, or all.
func readFixes(name, half string) ([]fix, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	var fixes []fix
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		f, err := parseFix(lines.Text())
		if err != nil {
			return nil, err
		}
		if half == "all" || f.half() == half {
			fixes = append(fixes, f)
		}
	}
	return fixes, lines.Err()
}

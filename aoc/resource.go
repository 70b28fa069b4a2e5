package aoc

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/mcp"
)

func uri(day Day) string { return "aoc://day" + day.String() }

// parseURI reads the day from a URI of ours.
func parseURI(uri string) (Day, error) {
	digits, ok := strings.CutPrefix(uri, "aoc://day")
	if day, valid := parseDigits(digits); ok && valid {
		return day, nil
	}
	return 0, fmt.Errorf("%s is not aoc://day01 to aoc://day%s", uri, LastDay)
}

// days lists the days that have a text; there are so few that one page holds
// them whatever the limit.
func (t *tools) days(_ context.Context, _ *mcp.Call, _ string, _ int) ([]mcp.Resource, string, error) {
	days, err := t.book.Days()
	if err != nil {
		return nil, "", &loadError{err}
	}
	list := make([]mcp.Resource, len(days))
	for i, day := range days {
		list[i] = mcp.Resource{
			URI: uri(day), Name: fmt.Sprintf("Day %d Instructions", int(day)), MIMEType: mimeType,
			Description: fmt.Sprintf("Full puzzle instructions for Advent of Code 2025 Day %d", int(day)),
		}
	}
	return list, "", nil
}

func (t *tools) readDay(_ context.Context, _ *mcp.Call, uri string) ([]mcp.Contents, error) {
	day, err := parseURI(uri)
	if err != nil {
		return nil, notFound(uri, err)
	}
	i, err := t.book.Instruction(day)
	if gone, ok := errors.AsType[*NoInstructionError](err); ok {
		return nil, notFound(uri, gone)
	}
	if err != nil {
		return nil, &loadError{err}
	}
	return []mcp.Contents{{URI: uri, MIMEType: mimeType, Text: i.Text()}}, nil
}

func notFound(uri string, err error) error {
	return &mcp.ResourceNotFoundError{URI: uri, Baseline: codeApplication, Message: (&loadError{err}).Error()}
}

// completeDay suggests the days that have a text.
func (t *tools) completeDay(_ context.Context, _ *mcp.Call, _, argument, value string, _ map[string]string) ([]string, int, error) {
	if argument != "day" {
		return nil, 0, nil
	}
	days, err := t.book.Days()
	if err != nil {
		return nil, 0, &loadError{err}
	}
	var values []string
	for _, day := range days {
		if strings.HasPrefix(day.String(), value) {
			values = append(values, day.String())
		}
	}
	return values, len(values), nil
}

func (t *tools) watch(ctx context.Context, changes mcp.Changes) error {
	return t.book.watch(ctx, func(days []Day, list bool) {
		if list {
			changes.ResourcesChanged()
		}
		for _, day := range days {
			changes.ResourceUpdated(uri(day))
		}
	})
}

package aoc

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/mcp"
)

// prompts returns the prompts with which clients start a day.
func (t *tools) prompts() []mcp.Prompt {
	return []mcp.Prompt{{
		Name: "solve_day", Title: "Solve a day", Scope: "aoc:read", Extension: true,
		Doc: "Solve both parts of a puzzle, check them against its examples, and record the time",
		Args: []mcp.PromptArgument{
			{Name: "day", Title: "Day", Doc: "1 to 25", Required: true},
			{Name: "year", Title: "Year", Doc: "2015 or later; default: the server's, else the current event"},
			{Name: "language", Title: "Language", Doc: "To write the solution in"},
			{Name: "llm_name", Title: "Model", Doc: "Name under which the time is recorded"},
		},
		Get: t.solveDay, Complete: t.completeDay,
	}}
}

const solveText = `Solve Advent of Code, %[1]s.

1. Note the time. Read the puzzle: ` + "`fetch_instruction`" + ` with %[2]s. It may show the first part only, until that is solved.
2. Read the puzzle twice before you write anything. Write down what the input looks like, what is asked, and what the example's answer is and why.
3. Write a program%[3]s that reads the input from a file. Run it on the example first%[4]s. If the example fails, the program is wrong: find out where its steps differ from the puzzle's before you change anything.
4. Run it on the real input%[5]s. An answer in seconds is expected; if it takes longer, look for the structure that the puzzle hints at (a cycle, a bound, a graph) instead of waiting.
5. Record the first part: ` + "`record_speed`" + ` with %[2]s, phase 1, %[6]s, and the milliseconds since step 1.%[7]s
6. Read the puzzle again for the second part, and go on in the same way; its time is from when you began to read it (phase 2). Say which assumption of the first part no longer holds.

Do not look up solutions, and do not guess an answer: a wrong one costs a minute or more on the site. Report both answers, the idea in two sentences, and the times.
`

func (t *tools) solveDay(_ context.Context, call *mcp.Call, args map[string]string) (*mcp.PromptResult, error) {
	day, year, err := t.dayOf(call, args["day"], args["year"])
	if err != nil {
		return nil, err
	}
	title, named := fmt.Sprintf("day %d", day), fmt.Sprintf("day %d", day)
	example, input := "", " that the user gives you"
	if year != 0 {
		title, named = fmt.Sprintf("%d, day %d", year, day), fmt.Sprintf("year %d and day %d", year, day)
		example, input = " (`fetch_input` with `example` 1)", " (`fetch_input`)"
	}
	language, model, submit := "", "your own name as llm_name", ""
	if args["language"] != "" {
		language = " in " + args["language"]
	}
	if args["llm_name"] != "" {
		model = "llm_name " + strconv.Quote(args["llm_name"])
	}
	if t.submit && year != 0 {
		submit = " Before that, submit the answer with `submit_answer`, once the example is right."
	}
	text := fmt.Sprintf(solveText, title, named, language, example, input, model, submit)
	return &mcp.PromptResult{
		Description: "Advent of Code, " + title,
		Messages:    []mcp.PromptMessage{{Role: "user", Content: mcp.Text(text)}},
	}, nil
}

// dayOf parses the day and year of a prompt. Without a year it is that of the server,
// else 0 for a documented file, else the current event.
func (t *tools) dayOf(call *mcp.Call, dayText, yearText string) (day, year int, err error) {
	if day, err = strconv.Atoi(dayText); err != nil {
		return 0, 0, mcp.InvalidParams("day must be a number from 1 to 25")
	}
	if year = t.year; yearText != "" {
		if year, err = strconv.Atoi(yearText); err != nil {
			return 0, 0, mcp.InvalidParams("year must be a number, 2015 or later")
		}
	}
	if _, err := ParseYear(year); err != nil {
		return 0, 0, mcp.InvalidParams("%v", err)
	}
	if _, err := ParseDay(day); err != nil {
		return 0, 0, mcp.InvalidParams("%v", err)
	}
	if year == 0 {
		if _, missing := t.book.Instruction(Day(day)); !isMissing(missing) {
			return day, 0, nil
		}
		if year, err = t.yearOf(call, nil); err != nil {
			return 0, 0, err
		}
	}
	if err := t.checkLast(call, year, day); err != nil {
		return 0, 0, mcp.InvalidParams("%v", err)
	}
	return day, year, nil
}

// firstYear is the year of the first puzzles.
const firstYear = 2015

// completeDay completes days, whether they have instructions or not, and years up
// to the current one.
func (t *tools) completeDay(_ context.Context, call *mcp.Call, argument, value string, known map[string]string) ([]string, int, error) {
	var all []string
	switch argument {
	case "day":
		for day := 1; day <= int(LastDay); day++ {
			if _, _, err := t.dayOf(call, strconv.Itoa(day), known["year"]); err == nil {
				all = append(all, strconv.Itoa(day))
			}
		}
	case "year":
		for year := t.now().Year(); year >= firstYear; year-- {
			all = append(all, strconv.Itoa(year))
		}
	}
	var values []string
	for _, one := range all {
		if strings.HasPrefix(one, value) {
			values = append(values, one)
		}
	}
	return values, len(values), nil
}

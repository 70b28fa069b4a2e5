package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/releasecmd"
)

// eachCommand calls a function with each row of the table that can be run, and the words
// that lead to it.
func eachCommand(t *testing.T, visit func(t *testing.T, path string, row command.Command)) {
	t.Helper()
	var walk func(path string, row command.Command)
	walk = func(path string, row command.Command) {
		if row.Hidden {
			return
		}
		t.Run(path, func(t *testing.T) { visit(t, path, row) })
		for _, sub := range row.Sub {
			walk(path+" "+sub.Name, sub)
		}
	}
	for _, row := range root(app.New()).Sub {
		walk("triptych "+row.Name, row)
	}
}

// columns returns the number of columns of the widest line.
func columns(text string) (widest int) {
	for line := range strings.Lines(text) {
		widest = max(widest, len([]rune(strings.TrimSuffix(line, "\n"))))
	}
	return widest
}

// A flag is told in one sentence, whose length a reader takes in at a glance, and its value
// has a name.
func TestFlagsAreOneSentence(t *testing.T) {
	types := []string{"string", "strings", "stringArray", "int", "float", "uint", "value", "stringToString"}
	eachCommand(t, func(t *testing.T, _ string, row command.Command) {
		own, settings := row.FlagsOf()
		for _, s := range append(own, settings...) {
			switch {
			case len([]rune(s.Meaning)) > 100:
				t.Errorf("--%s has %d characters: %s", s.Name, len([]rune(s.Meaning)), s.Meaning)
			case s.Meaning == "", strings.HasSuffix(s.Meaning, "."), strings.Contains(s.Meaning, ". "):
				t.Errorf("--%s is not one sentence without a full stop: %q", s.Name, s.Meaning)
			}
			if slices.Contains(types, s.Noun) {
				t.Errorf("--%s %s: the value has no name of its own", s.Name, s.Noun)
			}
		}
	})
}

// The help of a command shows its own flags alone and fits a terminal.
func TestHelpOfCommands(t *testing.T) {
	eachCommand(t, func(t *testing.T, path string, row command.Command) {
		help := command.HelpOf(path, row)
		if n := columns(help); n > 100 {
			t.Errorf("a line has %d columns:\n%s", n, help)
		}
		own, settings := row.FlagsOf()
		for _, s := range own {
			if !strings.Contains(help, "--"+s.Name+" ") {
				t.Errorf("--%s is missing", s.Name)
			}
		}
		_, flags, _ := strings.Cut(help, "\nFlags:\n")
		for _, s := range settings {
			if strings.Contains(flags, "\n  --"+s.Name+" ") {
				t.Errorf("--%s is a setting, and not a flag of this command", s.Name)
			}
		}
		if pointer := "triptych help settings " + strings.TrimPrefix(path, "triptych "); len(settings) > 0 != strings.Contains(help, pointer) {
			t.Errorf("%d settings; the help names %q: %v", len(settings), pointer, len(settings) == 0)
		}
	})
}

// The help of the program fits one screen.
func TestHelpOfProgram(t *testing.T) {
	help := command.RootHelp(root(app.New()))
	if n := strings.Count(help, "\n"); n > 40 {
		t.Errorf("%d lines, want 40 at most:\n%s", n, help)
	}
	if n := columns(help); n > 80 {
		t.Errorf("a line has %d columns, want 80 at most:\n%s", n, help)
	}
}

// Every setting is read by a command, and stands in the man page of settings; the flags of
// commands stand in their pages. The pages are short enough to be read.
func TestManPagesHaveEachFlag(t *testing.T) {
	a := app.New()
	pages := releasecmd.ManPages(root(a), a.Families)
	spelled := func(name string) string { return strings.ReplaceAll("--"+name, "-", `\-`) }
	for _, s := range command.Settings(root(a)) {
		if len(s.Commands) == 0 {
			t.Errorf("no command reads --%s", s.Name)
		}
		if !slices.Contains(command.Groups, s.Group) {
			t.Errorf("--%s is in the group %q, which help does not list", s.Name, s.Group)
		}
		if !strings.Contains(pages["man5/triptych-settings.5"], `.F "`+spelled(s.Name)) {
			t.Errorf("triptych-settings(5) does not have --%s", s.Name)
		}
	}
	eachCommand(t, func(t *testing.T, path string, row command.Command) {
		own, _ := row.FlagsOf()
		page := pages["man1/triptych-"+strings.Fields(path)[1]+".1"]
		for _, s := range own {
			if !strings.Contains(page, `.F "`+spelled(s.Name)) {
				t.Errorf("the man page does not have --%s", s.Name)
			}
		}
	})
	lines := 0
	for _, page := range pages {
		lines += strings.Count(page, "\n")
	}
	if lines > 1200 {
		t.Errorf("the man pages have %d lines, want 1200 at most", lines)
	}
}

package command

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// The columns of help: that of the program fits a small terminal.
const (
	helpColumns = 100
	rootColumns = 80
)

// HelpOf returns the help of a row: what it does, its usage, its own flags, and examples. The
// path is the words that lead to it.
func HelpOf(path string, row Command) string {
	var h helpText
	for line := range strings.SplitSeq(row.about(), "\n") {
		h.fill(0, helpColumns, line)
	}
	h.heading("Usage")
	h.line("  " + usageOf(path, row))
	if len(row.Sub) > 0 {
		h.heading("Commands")
		h.commands(row.Sub)
	}
	own, settings := row.FlagsOf()
	if len(own) > 0 {
		h.heading("Flags")
		h.flags(own, helpColumns)
	}
	if row.Example != "" {
		h.heading("Examples")
		h.line(indentLines(row.Example))
	}
	switch _, words, _ := strings.Cut(path, " "); {
	case len(settings) > 0:
		line := "Settings of " + strings.Join(GroupsOf(settings), ", ") + ": triptych help settings " + words
		if len(line) > helpColumns {
			line = "Settings that it reads: triptych help settings " + words
		}
		h.line("\n" + line)
	case len(row.Sub) > 0:
		h.line("\n" + path + " COMMAND --help explains a command.")
	}
	return h.String()
}

// about returns what a command does.
func (row *Command) about() string {
	return strings.TrimSpace(Sentence(row.Short) + "\n\n" + row.Long)
}

// usageOf returns the line that a command is called by.
func usageOf(path string, row Command) string {
	args := row.Args
	if len(row.Sub) > 0 {
		args = "COMMAND"
	}
	return strings.TrimSpace(path+" "+args) + " [--flag ...]"
}

// GroupsOf returns the groups of some settings in their order.
func GroupsOf(settings []Setting) []string {
	var groups []string
	for _, s := range settings {
		if !slices.Contains(groups, s.Group) {
			groups = append(groups, s.Group)
		}
	}
	slices.SortStableFunc(groups, func(a, b string) int { return cmp.Compare(rankOf(a), rankOf(b)) })
	return groups
}

// needed are the flags that everybody needs.
var needed = []string{"data", "store", "url", "key-file", "config", "families", "read-only", "log-level"}

// RootHelp returns the help of the program, which fits one screen.
func RootHelp(root Command) string {
	var h helpText
	h.line(Sentence(root.Short))
	h.line("")
	h.line("Usage: " + root.Name + " COMMAND [ARGUMENT ...] [--flag ...]")
	h.fill(0, rootColumns, root.Long)
	h.line("")
	var others []string
	for _, c := range root.Sub {
		if c.Group == "" && !c.Hidden {
			others = append(others, c.Name)
		}
	}
	for _, group := range commandGroups {
		title := group
		for _, c := range root.Sub {
			if c.Group == group && !c.Hidden {
				h.line(fmt.Sprintf("%-8s %-10s %s", title, c.Name, c.Short))
				title = ""
			}
		}
	}
	h.line(fmt.Sprintf("%-8s %s", "more", strings.Join(others, ", ")))
	h.line("")
	all := Settings(root)
	var some []Setting
	for _, name := range needed {
		some = append(some, all[slices.IndexFunc(all, func(s Setting) bool { return s.Name == name })])
	}
	own, _ := root.FlagsOf()
	some = append(append(some, own...), Setting{Name: "help", Meaning: "print the help of a command"})
	for i := range some {
		some[i].Default, some[i].Variables = "", nil
	}
	h.flags(some, rootColumns)
	h.line("Everything else: triptych COMMAND --help, and triptych help settings")
	return h.String()
}

// settingsHelp returns the page of settings: of the command with these words, or all.
func settingsHelp(settings []Setting, words []string) string {
	var h helpText
	if len(words) > 0 {
		h.line("The settings of triptych " + strings.Join(words, " ") + ".")
	} else {
		h.line("Settings are flags that several commands read, or that few people need.")
	}
	h.line("A flag wins over its variable, and that over the configuration file of --config.")
	for _, group := range ByGroup(settings) {
		h.line("\n" + strings.ToUpper(group.Name[:1]) + group.Name[1:])
		if len(group.Commands) > 0 {
			h.fill(2, helpColumns, "Read by "+strings.Join(group.Commands, "; ")+", unless something else is said.")
		}
		for _, s := range group.Settings {
			h.line("  " + s.Spelling() + variablesOf(s))
			h.fill(6, helpColumns, s.Explanation())
		}
	}
	return h.String()
}

// A SettingGroup is the settings of a group. Its commands read those that do not say otherwise.
type SettingGroup struct {
	Name     string
	Commands []string
	Settings []Setting
}

// ByGroup returns settings that are sorted by group in their groups.
func ByGroup(all []Setting) []SettingGroup {
	var groups []SettingGroup
	for i, s := range all {
		if i == 0 || s.Group != all[i-1].Group {
			groups = append(groups, SettingGroup{Name: s.Group, Commands: s.Commands})
		}
		last := &groups[len(groups)-1]
		if slices.Equal(s.Commands, last.Commands) {
			s.Commands = nil
		}
		last.Settings = append(last.Settings, s)
	}
	return groups
}

func variablesOf(s Setting) string {
	if len(s.Variables) == 0 {
		return ""
	}
	return " (" + strings.Join(s.Variables, ", ") + ")"
}

// Explanation returns all that is to say of a setting, in sentences.
func (s *Setting) Explanation() string {
	text := Sentence(s.Meaning)
	if s.More != "" {
		text += " " + s.More
	}
	if s.Default != "" {
		text += " Default: " + s.Default + "."
	}
	if len(s.Commands) > 0 {
		text += " Read by " + strings.Join(s.Commands, "; ") + "."
	}
	return text
}

// A helpText is help that grows.
type helpText struct{ strings.Builder }

func (h *helpText) line(text string) { h.WriteString(text + "\n") }

func (h *helpText) heading(title string) { h.line("\n" + title + ":") }

func (h *helpText) commands(rows []Command) {
	width := 0
	for _, c := range rows {
		width = max(width, len(c.Name))
	}
	for _, c := range rows {
		if !c.Hidden {
			h.line(fmt.Sprintf("  %-*s  %s", width, c.Name, c.Short))
		}
	}
}

// flags writes flags with their meanings in a column.
func (h *helpText) flags(all []Setting, columns int) {
	const widest = 26
	width := 0
	for _, s := range all {
		if n := len(flagColumn(s)); n <= widest {
			width = max(width, n)
		}
	}
	for _, s := range all {
		name := flagColumn(s)
		lines := wrap(s.Sentence(), columns-width-4)
		if len(name) > width {
			h.line("  " + name)
		} else {
			h.line(fmt.Sprintf("  %-*s  %s", width, name, lines[0]))
			lines = lines[1:]
		}
		for _, line := range lines {
			h.line(strings.Repeat(" ", width+4) + line)
		}
	}
}

func flagColumn(s Setting) string {
	if s.Short != "" {
		return "-" + s.Short + ", " + s.Spelling()
	}
	return s.Spelling()
}

// fill writes text as lines of at most so many columns.
func (h *helpText) fill(indent, columns int, text string) {
	for _, line := range wrap(text, columns-indent) {
		h.line(strings.Repeat(" ", indent) + line)
	}
}

// wrap breaks text between words; there is one line at least.
func wrap(text string, columns int) []string {
	if len([]rune(text)) <= columns {
		return []string{text}
	}
	lines := []string{""}
	for word := range strings.FieldsSeq(text) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case len([]rune(*last))+1+len([]rune(word)) <= columns:
			*last += " " + word
		default:
			lines = append(lines, word)
		}
	}
	return lines
}

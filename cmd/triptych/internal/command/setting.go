package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// A Setting describes a flag as its usage does. The first line of a usage is one
// sentence that ends with the environment variables of the flag in parentheses. A line
// that begins with "default: " has the default where that of the flag says nothing, and
// the other lines are for triptych help settings.
type Setting struct {
	Name, Short, Noun string
	Meaning           string
	Variables         []string
	Default, More     string
	Group             string   // "" for a flag of one command
	Commands          []string // that read it, as [Settings] finds them
}

// groupMark is the annotation of a flag with the group of its setting.
const groupMark = "triptych_setting"

// InGroup registers flags that are settings: several commands read them, or few people
// need them. The help of a command leaves them to triptych help settings.
func InGroup(set *pflag.FlagSet, group string, register func(*pflag.FlagSet)) {
	some := pflag.NewFlagSet(group, pflag.ContinueOnError)
	some.SortFlags = false
	register(some)
	some.VisitAll(func(f *pflag.Flag) {
		annotate(f, groupMark, []string{group})
		if set.Lookup(f.Name) == nil { // else the command has a flag of this name
			set.AddFlag(f)
		}
	})
}

// Describe reads the usage of a flag.
func Describe(f *pflag.Flag) Setting {
	noun, usage := pflag.UnquoteUsage(f)
	sentence, more, _ := strings.Cut(usage, "\n")
	s := Setting{Name: f.Name, Short: f.Shorthand, Noun: noun, Default: defaultOf(f)}
	s.Meaning, s.Variables = cutVariables(sentence)
	if strings.Contains(noun, "|") {
		s.Meaning = strings.TrimSuffix(s.Meaning, ": "+noun)
	}
	var rest []string
	for line := range strings.SplitSeq(more, "\n") {
		if text, ok := strings.CutPrefix(line, "default: "); ok {
			s.Default = text
			continue
		}
		rest = append(rest, line)
	}
	s.More = strings.Join(rest, " ")
	if group := f.Annotations[groupMark]; len(group) > 0 {
		s.Group = group[0]
	}
	return s
}

// cutVariables separates a sentence from the environment variables in parentheses behind it.
func cutVariables(sentence string) (meaning string, variables []string) {
	text, list, found := strings.Cut(strings.TrimSuffix(sentence, ")"), " (")
	if !found || !strings.HasSuffix(sentence, ")") || strings.ToUpper(list) != list {
		return sentence, nil
	}
	return text, strings.Split(list, ", ")
}

// defaultOf returns the default of a flag for people, "" where it says nothing.
func defaultOf(f *pflag.Flag) string {
	switch f.DefValue {
	case "false", "[]", "0", "0s", "-1":
		return ""
	}
	return strings.Trim(f.DefValue, "[]")
}

// Spelling returns the flag with its value: "--data folder".
func (s *Setting) Spelling() string { return strings.TrimSpace("--" + s.Name + " " + s.Noun) }

// Sentence returns the meaning with the default and the variables.
func (s *Setting) Sentence() string {
	text := s.Meaning
	if s.Default != "" {
		text += fmt.Sprintf(" (default %s)", s.Default)
	}
	if len(s.Variables) > 0 {
		text += " (" + strings.Join(s.Variables, ", ") + ")"
	}
	return text
}

// FlagsOf returns the flags of a row alone, and its settings.
func (row *Command) FlagsOf() (own, settings []Setting) {
	set := pflag.NewFlagSet(row.Name, pflag.ContinueOnError)
	set.SortFlags = false
	if row.Flags != nil {
		row.Flags(set)
	}
	if row.Config {
		ConfigFlag(set, new(string))
	}
	set.VisitAll(func(f *pflag.Flag) {
		if s := Describe(f); s.Group == "" {
			own = append(own, s)
		} else {
			settings = append(settings, s)
		}
	})
	return own, settings
}

// Settings returns the settings that the rows of a table read, by group, each with the
// commands that read it.
func Settings(table Command) []Setting {
	var all []Setting
	index := map[string]int{} // by group and name
	var paths []string
	var visit func(path string, row Command)
	visit = func(path string, row Command) {
		if row.Hidden {
			return
		}
		if row.Run != nil && path != "" && !row.Echoes {
			paths = append(paths, path)
			_, read := row.FlagsOf()
			for _, s := range read {
				key := s.Group + " " + s.Name
				if _, known := index[key]; !known {
					index[key] = len(all)
					all = append(all, s)
				}
				all[index[key]].Commands = append(all[index[key]].Commands, path)
			}
		}
		for _, sub := range row.Sub {
			visit(strings.TrimSpace(path+" "+sub.Name), sub)
		}
	}
	visit("", table)
	slices.SortStableFunc(all, func(a, b Setting) int { return rankOf(a.Group) - rankOf(b.Group) })
	for i := range all {
		all[i].Commands = briefly(all[i].Commands, paths)
	}
	return all
}

// briefly shortens a list of commands: one with commands below it stands for all of these.
func briefly(some, all []string) []string {
	parts := func(paths []string, first string) (below []string) {
		for _, path := range paths {
			if word, rest, _ := strings.Cut(path, " "); word == first {
				below = append(below, rest)
			}
		}
		return below
	}
	var brief []string
	for _, path := range some {
		first, _, _ := strings.Cut(path, " ")
		if len(brief) > 0 && strings.HasPrefix(brief[len(brief)-1]+" ", first+" ") {
			continue
		}
		with, without := parts(some, first), parts(all, first)
		without = slices.DeleteFunc(without, func(p string) bool { return slices.Contains(with, p) })
		switch {
		case len(without) == 0:
			brief = append(brief, first)
		case len(without) < len(with):
			brief = append(brief, first+" without "+strings.Join(without, ", "))
		default:
			brief = append(brief, first+" "+strings.Join(with, ", "))
		}
	}
	return brief
}

// rankOf orders groups; one of a family that is not among them comes last.
func rankOf(group string) int {
	if i := slices.Index(Groups, group); i >= 0 {
		return i
	}
	return len(Groups)
}

// Package configfile reads a configuration file: YAML whose keys are the names of a
// command's flags.
//
//	listen: 0.0.0.0:8443
//	families: [rulesets, aoc]
//	drain: 20s
//
// A flag on the command line wins over its environment variable, and that over the
// file.
package configfile

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

// MaxSize bounds a file, in bytes.
const MaxSize = 1 << 20

// A Setting is one key of the file.
type Setting struct {
	Flag   string
	Values []string // one for a scalar
	List   bool
	Line   int
}

// An Error reports a mistake in the file, by line.
type Error struct {
	File   string
	Line   int
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason) }

// Read reads the settings of a file in their order.
func Read(file string) ([]Setting, error) {
	if info, err := os.Stat(file); err == nil && info.Size() > MaxSize {
		return nil, &Error{file, 1, fmt.Sprintf("the file has %d bytes, at most %d are read", info.Size(), MaxSize)}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(document.Content) == 0 {
		return nil, nil // empty, or comments alone
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, &Error{file, root.Line, "want keys and values, such as listen: 127.0.0.1:8443"}
	}
	var settings []Setting
	for i := 0; i < len(root.Content); i += 2 {
		setting, err := read(file, root.Content[i], root.Content[i+1])
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(settings, func(s Setting) bool { return s.Flag == setting.Flag }) {
			return nil, &Error{file, setting.Line, fmt.Sprintf("%s is set twice", setting.Flag)}
		}
		settings = append(settings, setting)
	}
	return settings, nil
}

func read(file string, key, value *yaml.Node) (Setting, error) {
	s := Setting{Flag: key.Value, Line: key.Line}
	switch value.Kind {
	case yaml.ScalarNode:
		s.Values = []string{value.Value}
		return s, nil
	case yaml.SequenceNode:
		s.List = true
		for _, item := range value.Content {
			if item.Kind != yaml.ScalarNode {
				return s, &Error{file, item.Line, fmt.Sprintf("the items of %s are plain values", s.Flag)}
			}
			s.Values = append(s.Values, item.Value)
		}
		return s, nil
	}
	return s, &Error{file, value.Line, fmt.Sprintf("%s is a plain value or a list of them", s.Flag)}
}

// Apply sets the flags that neither the command line nor the environment has set.
func Apply(file string, settings []Setting, flags *pflag.FlagSet, getenv func(string) string) error {
	for _, s := range settings {
		f := flags.Lookup(s.Flag)
		if f == nil {
			return &Error{file, s.Line, fmt.Sprintf("unknown key %q%s", s.Flag, meant(s.Flag, flags))}
		}
		if f.Changed || FromEnvironment(f, getenv) != "" {
			continue
		}
		if err := set(f, s); err != nil {
			return &Error{file, s.Line, fmt.Sprintf("%s: %v", s.Flag, err)}
		}
	}
	return nil
}

func set(f *pflag.Flag, s Setting) error {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return list.Replace(s.Values)
	}
	if s.List {
		return fmt.Errorf("want one value, got %d", len(s.Values))
	}
	return f.Value.Set(s.Values[0])
}

// FromEnvironment returns the value of a flag's environment variable, "" if it has
// none. The usage of a flag names its variable.
func FromEnvironment(f *pflag.Flag, getenv func(string) string) string {
	if !strings.Contains(f.Usage, Variable(f.Name)) {
		return ""
	}
	return getenv(Variable(f.Name))
}

// variables are the environment variables that are not named after their flag.
var variables = map[string]string{"log-level": "LOG_LEVEL", "log-format": "LOG_FORMAT"}

// Variable names the environment variable of a flag.
func Variable(flag string) string {
	return cmp.Or(variables[flag], "TRIPTYCH_"+strings.ToUpper(strings.ReplaceAll(flag, "-", "_")))
}

// meant suggests the key with the most similar name.
func meant(key string, flags *pflag.FlagSet) string {
	best, name := 4, ""
	flags.VisitAll(func(f *pflag.Flag) {
		if d := levenshtein.ComputeDistance(key, f.Name); d < best && len(key) <= 64 {
			best, name = d, f.Name
		}
	})
	if name == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", name)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A command is a row of the table of commands. Its help, its completion and
// its part of the man page all come from here.
type command struct {
	name     string // "list"
	args     string // how its arguments are shown: "NAME [FILE]"
	short    string // one line, without a full stop
	long     string // more, for help and the man page; may be empty
	example  string // command lines, one a line, without indentation
	config   bool   // it takes a configuration file
	hidden   bool   // not for people: left out of help and man page
	min, max int    // how many arguments there may be; max many for any number
	flags    func(*pflag.FlagSet)
	complete func(ctx context.Context, before []string) []string // values for the next argument
	run      func(ctx context.Context, args []string) error
	sub      []command
}

// many is the max of a command that takes any number of arguments.
const many = 1 << 30

// cobra makes the cobra command of a row and of those below it.
func (a *app) cobra(row command) *cobra.Command {
	c := &cobra.Command{
		Use:               strings.TrimSpace(row.name + " " + row.args),
		Short:             row.short,
		Long:              strings.TrimSpace(sentence(row.short) + "\n\n" + row.long),
		Example:           indentLines(row.example),
		Hidden:            row.hidden,
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		Args:              checkArgs(row),
		ValidArgsFunction: completer(row),
		RunE:              a.runner(row),
	}
	c.SetFlagErrorFunc(flagError)
	c.SetHelpCommand(helpCommand(c))
	c.Flags().SortFlags = false
	if row.flags != nil {
		row.flags(c.Flags())
	}
	if row.config {
		a.configFlag(c.Flags())
	}
	for _, sub := range row.sub {
		c.AddCommand(a.cobra(sub))
	}
	return c
}

// only is a table without the commands that a command line cannot mean, for its
// first word is the name of another one: making all their flags takes longer than
// many a command. The flags of the table itself stand where no command does.
func only(table command, args []string) command {
	for _, row := range table.sub {
		if len(args) > 0 && row.name == args[0] {
			table.flags, table.sub = nil, []command{row}
			return table
		}
	}
	return table
}

// sentence makes a sentence of a one-line description.
func sentence(short string) string {
	if short == "" {
		return ""
	}
	return strings.ToUpper(short[:1]) + short[1:] + "."
}

func indentLines(text string) string {
	if text == "" {
		return ""
	}
	return "  " + strings.ReplaceAll(text, "\n", "\n  ")
}

// negative matches a flag that is a negative number.
var negative = regexp.MustCompile(`^[0-9]`)

// flagError blames a word in place of a command before the flags behind it, which the
// command that was meant may well have.
func flagError(c *cobra.Command, err error) error {
	if args := c.Flags().Args(); c.HasSubCommands() && len(args) > 0 {
		return unknownCommand(c, args[0])
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && negative.MatchString(unknown.GetSpecifiedName()) {
		return hinted(misused("numbers must not be negative: -%s", unknown.GetSpecifiedShortnames()), "see: "+c.CommandPath()+" --help")
	}
	return hinted(misused("%v", err), "see: "+c.CommandPath()+" --help")
}

// checkArgs counts the arguments. A word where a command should stand is an
// unknown command.
func checkArgs(row command) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		help := "see: " + c.CommandPath() + " --help"
		switch n := len(args); {
		case len(row.sub) > 0 && n > 0:
			return unknownCommand(c, args[0])
		case n < row.min:
			return hinted(misused("%s: an argument is missing: %s", words(c), row.args), help)
		case n > row.max:
			return hinted(misused("%s: unexpected argument %q", words(c), args[row.max]), help)
		}
		return nil
	}
}

func unknownCommand(c *cobra.Command, word string) error {
	return hinted(misused("unknown command %q for %q", word, c.CommandPath()), suggest(c, word), "see: "+c.CommandPath()+" --help")
}

// helpCommand prints the help of a command; a word that names none is a mistake.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "print the help of a command", SilenceErrors: true, SilenceUsage: true,
		RunE: func(_ *cobra.Command, args []string) error {
			c := root
			for _, word := range args {
				i := slices.IndexFunc(c.Commands(), func(sub *cobra.Command) bool { return sub.Name() == word })
				if i < 0 {
					return unknownCommand(c, word)
				}
				c = c.Commands()[i]
			}
			return c.Help()
		},
	}
}

// words returns the words that led to a command, without the program's name.
func words(c *cobra.Command) string {
	return strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")
}

// suggest names the commands that may have been meant, or all there are.
func suggest(c *cobra.Command, word string) string {
	if c.SuggestionsMinimumDistance == 0 {
		c.SuggestionsMinimumDistance = 2
	}
	if near := meant(c, word); near != "" {
		return near
	}
	var names []string
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			names = append(names, sub.Name())
		}
	}
	return "commands: " + strings.Join(names, ", ")
}

// meant asks about the commands below that are spelled like a word, "" when there
// are none.
func meant(c *cobra.Command, word string) string {
	if near := c.SuggestionsFor(word); len(near) > 0 {
		return "did you mean " + strings.Join(near, " or ") + "?"
	}
	return ""
}

// runner runs the row; a row that only groups others is not enough by itself.
func (a *app) runner(row command) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		if row.run == nil {
			return hinted(misused("%s: a command is missing", words(c)), suggest(c, ""), "see: "+c.CommandPath()+" --help")
		}
		if row.config {
			if err := a.readConfigFile(c.Flags()); err != nil {
				return err
			}
		}
		return row.run(c.Context(), args)
	}
}

func completer(row command) cobra.CompletionFunc {
	return func(c *cobra.Command, before []string, _ string) ([]string, cobra.ShellCompDirective) {
		switch {
		case row.complete != nil && len(before) < row.max:
			return row.complete(c.Context(), before), cobra.ShellCompDirectiveNoFileComp
		case row.max == 0:
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
}

// help prints the help of the whole program.
func (a *app) help(table command) error {
	root := a.cobra(table)
	root.SetOut(a.out)
	if err := root.Help(); err != nil {
		return fmt.Errorf("printing help: %w", err)
	}
	return nil
}

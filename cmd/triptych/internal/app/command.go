package app

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

// A Command is a row of the table of commands. Its help, its completion and
// its part of the man page all come from here.
type Command struct {
	Name     string // "list"
	Args     string // how its arguments are shown: "NAME [FILE]"
	Short    string // one line, without a full stop
	Long     string // more, for help and the man page; may be empty
	Example  string // command lines, one a line, without indentation
	Config   bool   // it takes a configuration file
	Hidden   bool   // not for people: left out of help and man page
	KeepUser bool   // run as root on another user's data folder, it stays root
	Survives bool   // SIGHUP does not end it
	Min, Max int    // how many arguments there may be; AnyNumber if there is no limit
	Flags    func(*pflag.FlagSet)
	Complete func(ctx context.Context, before []string) []string // values for the next argument
	Run      func(ctx context.Context, args []string) error
	Sub      []Command
}

// AnyNumber is the max of a command that takes any number of arguments.
const AnyNumber = 1 << 30

// cobra makes the cobra command of a row and of those below it.
func (a *App) cobra(row Command) *cobra.Command {
	c := &cobra.Command{
		Use:               strings.TrimSpace(row.Name + " " + row.Args),
		Short:             row.Short,
		Long:              strings.TrimSpace(Sentence(row.Short) + "\n\n" + row.Long),
		Example:           indentLines(row.Example),
		Hidden:            row.Hidden,
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
	if row.Flags != nil {
		row.Flags(c.Flags())
	}
	if row.Config {
		a.ConfigFlag(c.Flags())
	}
	for _, sub := range row.Sub {
		c.AddCommand(a.cobra(sub))
	}
	return c
}

// OnlyNamed is a table without the commands that a command line cannot mean, for its
// first word is the name of another one: making all their flags takes longer than
// many a command. The flags of the table itself stand where no command does.
func OnlyNamed(table Command, args []string) Command {
	for _, row := range table.Sub {
		if len(args) > 0 && row.Name == args[0] {
			table.Flags, table.Sub = nil, []Command{row}
			return table
		}
	}
	return table
}

// Sentence makes a sentence of a one-line description.
func Sentence(short string) string {
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
		return WithHints(UsageErrorf("numbers must not be negative: -%s", unknown.GetSpecifiedShortnames()), "see: "+c.CommandPath()+" --help")
	}
	return WithHints(UsageErrorf("%v", err), "see: "+c.CommandPath()+" --help")
}

// checkArgs counts the arguments. A word where a command should stand is an
// unknown command.
func checkArgs(row Command) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		help := "see: " + c.CommandPath() + " --help"
		switch n := len(args); {
		case len(row.Sub) > 0 && n > 0:
			return unknownCommand(c, args[0])
		case n < row.Min:
			return WithHints(UsageErrorf("%s: an argument is missing: %s", words(c), row.Args), help)
		case n > row.Max:
			return WithHints(UsageErrorf("%s: unexpected argument %q", words(c), args[row.Max]), help)
		}
		return nil
	}
}

func unknownCommand(c *cobra.Command, word string) error {
	return WithHints(UsageErrorf("unknown command %q for %q", word, c.CommandPath()), suggest(c, word), "see: "+c.CommandPath()+" --help")
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
	if near := DidYouMean(c, word); near != "" {
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

// DidYouMean asks about the commands below that are spelled like a word, "" when there
// are none.
func DidYouMean(c *cobra.Command, word string) string {
	if near := c.SuggestionsFor(word); len(near) > 0 {
		return "did you mean " + strings.Join(near, " or ") + "?"
	}
	return ""
}

// runner runs the row; a row that only groups others is not enough by itself.
func (a *App) runner(row Command) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		if row.Run == nil {
			return WithHints(UsageErrorf("%s: a command is missing", words(c)), suggest(c, ""), "see: "+c.CommandPath()+" --help")
		}
		if row.Config {
			if err := a.ReadConfigFile(c.Flags()); err != nil {
				return err
			}
		}
		a.useLogFormat()
		a.keepUser = row.KeepUser
		if !row.Survives {
			a.endAtHangup()
		}
		return row.Run(c.Context(), args)
	}
}

func completer(row Command) cobra.CompletionFunc {
	return func(c *cobra.Command, before []string, _ string) ([]string, cobra.ShellCompDirective) {
		switch {
		case row.Complete != nil && len(before) < row.Max:
			return row.Complete(c.Context(), before), cobra.ShellCompDirectiveNoFileComp
		case row.Max == 0:
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
}

// Help prints the help of the whole program.
func (a *App) Help(table Command) error {
	root := a.cobra(table)
	root.SetOut(a.Out)
	if err := root.Help(); err != nil {
		return fmt.Errorf("printing help: %w", err)
	}
	return nil
}

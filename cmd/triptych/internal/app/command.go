package app

import (
	"cmp"
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
	Group    string // of CommandGroups, for the help of the program
	Args     string // how its arguments are shown: "NAME [FILE]"
	Short    string // one line, without a full stop
	Long     string // more, for help and the man page; may be empty
	Example  string // command lines, one a line, without indentation
	Echoes   bool   // it prints settings, and reads none
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

// CommandGroups are the purposes of commands, in the order of help.
var CommandGroups = []string{"rules", "connect", "serve", "debug", "puzzles", "data"}

// Grouped gives rows their group.
func Grouped(group string, rows ...Command) []Command {
	for i := range rows {
		rows[i].Group = group
	}
	return rows
}

// AnyNumber is the max of a command that takes any number of arguments.
const AnyNumber = 1 << 30

// cobra makes the cobra command of a table.
func (a *App) cobra(table Command) *cobra.Command {
	root := a.cobraAt(table.Name, table)
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommand(a.helpCommand(root))
	return root
}

// cobraAt makes the cobra command of a row and of those below it. The path is the words
// that lead to it.
func (a *App) cobraAt(path string, row Command) *cobra.Command {
	c := &cobra.Command{
		Use:               strings.TrimSpace(row.Name + " " + row.Args),
		Short:             row.Short,
		Hidden:            row.Hidden,
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		Args:              checkArgs(row),
		ValidArgsFunction: completer(row),
		RunE:              a.runner(row),
	}
	c.SetFlagErrorFunc(a.flagError)
	c.SetHelpFunc(func(c *cobra.Command, _ []string) { a.printHelp(c, path, row) })
	c.Flags().SortFlags = false
	if row.Flags != nil {
		row.Flags(c.Flags())
	}
	if row.Config {
		a.ConfigFlag(c.Flags())
	}
	for _, sub := range row.Sub {
		c.AddCommand(a.cobraAt(path+" "+sub.Name, sub))
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
func (a *App) flagError(c *cobra.Command, err error) error {
	if args := c.Flags().Args(); c.HasSubCommands() && len(args) > 0 {
		return unknownCommand(c, args[0])
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && negative.MatchString(unknown.GetSpecifiedName()) {
		return WithHints(UsageErrorf("numbers must not be negative: -%s", unknown.GetSpecifiedShortnames()), "see: "+c.CommandPath()+" --help")
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if read := a.readersOf(unknown.GetSpecifiedName()); read != "" {
			return WithHints(UsageErrorf("%s does not read --%s", cmp.Or(words(c), c.Name()), unknown.GetSpecifiedName()), "commands that read it: "+read)
		}
	}
	return WithHints(UsageErrorf("%v", err), "see: "+c.CommandPath()+" --help")
}

// readersOf names the commands that read a setting, "" for a flag that is none.
func (a *App) readersOf(flag string) string {
	given := a.Flags
	defer func() { a.Flags = given }() // to register flags is to set them to their defaults
	var read []string
	for _, s := range Settings(a.table) {
		if s.Name == flag {
			read = append(read, s.Commands...)
		}
	}
	return strings.Join(read, "; ")
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

// helpCommand prints the help of a command, or of settings; a word that names none is a
// mistake.
func (a *App) helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "print the help of a command", SilenceErrors: true, SilenceUsage: true,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 && args[0] == "settings" {
				return a.helpSettings(root, args[1:])
			}
			c, err := find(root, args)
			if err != nil {
				return err
			}
			return c.Help()
		},
	}
}

// find returns the command with these words.
func find(c *cobra.Command, args []string) (*cobra.Command, error) {
	for _, word := range args {
		i := slices.IndexFunc(c.Commands(), func(sub *cobra.Command) bool { return sub.Name() == word })
		if i < 0 {
			return nil, unknownCommand(c, word)
		}
		c = c.Commands()[i]
	}
	return c, nil
}

// helpSettings prints the settings of the command with these words, or all.
func (a *App) helpSettings(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return a.Printf("%s", settingsHelp(Settings(a.table), nil))
	}
	row := a.table
	for i, word := range args {
		at := slices.IndexFunc(row.Sub, func(sub Command) bool { return sub.Name == word })
		if at < 0 {
			c, _ := find(root, args[:i]) // the table has it
			return unknownCommand(c, word)
		}
		row = row.Sub[at]
	}
	_, settings := row.FlagsOf()
	slices.SortStableFunc(settings, func(x, y Setting) int { return rankOf(x.Group) - rankOf(y.Group) })
	return a.Printf("%s", settingsHelp(settings, args))
}

// printHelp prints the help of a row, or of a command that the library has added.
func (a *App) printHelp(c *cobra.Command, path string, row Command) {
	text := HelpOf(path, row)
	switch {
	case c.Name() != row.Name:
		text = Sentence(c.Short) + "\n\nUsage:\n  " + c.CommandPath() + " [COMMAND ...]\n  " + c.CommandPath() + " settings [COMMAND ...]\n"
	case path == row.Name:
		text = RootHelp(a.table)
	}
	fmt.Fprint(a.Out, text)
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

// Help prints the help of the whole program.
func (a *App) Help() error { return a.Printf("%s", RootHelp(a.table)) }

// CompletionCommand returns the row of triptych completion.
func (a *App) CompletionCommand(table func() Command) Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return Command{
		Name: "completion", Args: strings.Join(shells, "|"), Min: 1, Max: 1,
		Short:    "print a script that completes command lines in a shell",
		Example:  "triptych completion bash > ~/.local/share/bash-completion/completions/triptych\ntriptych completion zsh > \"${fpath[1]}/_triptych\"",
		Complete: func(context.Context, []string) []string { return shells },
		Run: func(_ context.Context, args []string) error {
			root := a.cobra(table())
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.Out, true)
			case "zsh":
				return root.GenZshCompletion(a.Out)
			case "fish":
				return root.GenFishCompletion(a.Out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.Out)
			}
			return UsageErrorf("no completion for the shell %q; there are %s", args[0], strings.Join(shells, ", "))
		},
	}
}

package command

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

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
)

// A Program runs command lines of a table.
type Program struct {
	IO         *cmdio.IO
	Table      Command
	ConfigFile *string                             // value of --config
	KeepFlags  func() (restore func())             // saves the values of all flags
	Prepare    func(Command, *pflag.FlagSet) error // is called with a row and its flags before it runs
}

// Run runs a command line.
func (p *Program) Run(ctx context.Context, args []string) error {
	root := p.cobra(OnlyNamed(p.Table, args))
	root.SetArgs(args)
	root.SetIn(p.IO.In)
	root.SetOut(p.IO.Out)
	root.SetErr(p.IO.Err)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		completeFlags(root)
	}
	return root.ExecuteContext(ctx)
}

// cobra makes the cobra command of a table.
func (p *Program) cobra(table Command) *cobra.Command {
	root := p.cobraAt(table.Name, table)
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetHelpCommand(p.helpCommand(root))
	return root
}

// cobraAt makes the cobra command of a row and of those below it. The path is the words
// that lead to it.
func (p *Program) cobraAt(path string, row Command) *cobra.Command {
	c := &cobra.Command{
		Use:               strings.TrimSpace(row.Name + " " + row.Args),
		Short:             row.Short,
		Hidden:            row.Hidden,
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		Args:              checkArgs(row),
		ValidArgsFunction: completer(row),
		RunE:              p.runner(row),
	}
	c.SetFlagErrorFunc(p.flagError)
	c.SetHelpFunc(func(c *cobra.Command, _ []string) { p.printHelp(c, path, row) })
	c.Flags().SortFlags = false
	if row.Flags != nil {
		row.Flags(c.Flags())
	}
	if row.Config {
		ConfigFlag(c.Flags(), p.ConfigFile)
	}
	for _, sub := range row.Sub {
		c.AddCommand(p.cobraAt(path+" "+sub.Name, sub))
	}
	return c
}

// negative matches a flag that is a negative number.
var negative = regexp.MustCompile(`^[0-9]`)

// flagError blames a word in place of a command before the flags behind it, which the
// command that was meant may well have.
func (p *Program) flagError(c *cobra.Command, err error) error {
	if args := c.Flags().Args(); c.HasSubCommands() && len(args) > 0 {
		return unknownCommand(c, args[0])
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && negative.MatchString(unknown.GetSpecifiedName()) {
		return cmderr.WithHints(cmderr.UsageErrorf("numbers must not be negative: -%s", unknown.GetSpecifiedShortnames()), "see: "+c.CommandPath()+" --help")
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if read := p.readersOf(unknown.GetSpecifiedName()); read != "" {
			return cmderr.WithHints(cmderr.UsageErrorf("%s does not read --%s", cmp.Or(words(c), c.Name()), unknown.GetSpecifiedName()), "commands that read it: "+read)
		}
	}
	return cmderr.WithHints(cmderr.UsageErrorf("%v", err), "see: "+c.CommandPath()+" --help")
}

// readersOf names the commands that read a setting, "" for a flag that is none.
func (p *Program) readersOf(flag string) string {
	defer p.KeepFlags()() // to register flags is to set them to their defaults
	var read []string
	for _, s := range Settings(p.Table) {
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
			return cmderr.WithHints(cmderr.UsageErrorf("%s: an argument is missing: %s", words(c), row.Args), help)
		case n > row.Max:
			return cmderr.WithHints(cmderr.UsageErrorf("%s: unexpected argument %q", words(c), args[row.Max]), help)
		}
		return nil
	}
}

func unknownCommand(c *cobra.Command, word string) error {
	return cmderr.WithHints(cmderr.UsageErrorf("unknown command %q for %q", word, c.CommandPath()), suggest(c, word), "see: "+c.CommandPath()+" --help")
}

// helpCommand prints the help of a command, or of settings; a word that names none is a
// mistake.
func (p *Program) helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "print the help of a command", SilenceErrors: true, SilenceUsage: true,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 && args[0] == "settings" {
				return p.helpSettings(root, args[1:])
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
func (p *Program) helpSettings(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return p.IO.Printf("%s", settingsHelp(Settings(p.Table), nil))
	}
	row := p.Table
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
	return p.IO.Printf("%s", settingsHelp(settings, args))
}

// printHelp prints the help of a row, or of a command that the library has added.
func (p *Program) printHelp(c *cobra.Command, path string, row Command) {
	text := HelpOf(path, row)
	switch {
	case c.Name() != row.Name:
		text = Sentence(c.Short) + "\n\nUsage:\n  " + c.CommandPath() + " [COMMAND ...]\n  " + c.CommandPath() + " settings [COMMAND ...]\n"
	case path == row.Name:
		text = RootHelp(p.Table)
	}
	fmt.Fprint(p.IO.Out, text)
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
func (p *Program) runner(row Command) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		if row.Run == nil {
			return cmderr.WithHints(cmderr.UsageErrorf("%s: a command is missing", words(c)), suggest(c, ""), "see: "+c.CommandPath()+" --help")
		}
		if err := p.Prepare(row, c.Flags()); err != nil {
			return err
		}
		return row.Run(c.Context(), args)
	}
}

// CompletionCommand returns the row of triptych completion, for the program that p returns.
func CompletionCommand(p func() *Program) Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return Command{
		Name: "completion", Args: strings.Join(shells, "|"), Min: 1, Max: 1,
		Short:    "print a script that completes command lines in a shell",
		Example:  "triptych completion bash > ~/.local/share/bash-completion/completions/triptych\ntriptych completion zsh > \"${fpath[1]}/_triptych\"",
		Complete: func(context.Context, []string) []string { return shells },
		Run: func(_ context.Context, args []string) error {
			p := p()
			root, out := p.cobra(p.Table), p.IO.Out
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(out, true)
			case "zsh":
				return root.GenZshCompletion(out)
			case "fish":
				return root.GenFishCompletion(out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(out)
			}
			return cmderr.UsageErrorf("no completion for the shell %q; there are %s", args[0], strings.Join(shells, ", "))
		},
	}
}

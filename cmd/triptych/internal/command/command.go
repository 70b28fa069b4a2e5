// Package command has the rows of the table of commands: the flags and settings of a row, its
// help, its completion, and the cobra commands that a [Program] makes of a table.
package command

import (
	"context"
	"strings"

	"github.com/spf13/pflag"
)

// A Command is a row of the table of commands. Its help, its completion and
// its part of the man page all come from here.
type Command struct {
	Name     string // "list"
	Group    string // of commandGroups, for the help of the program
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

// commandGroups are the purposes of commands, in the order of help.
var commandGroups = []string{"rules", "connect", "serve", "debug", "puzzles", "data"}

// Grouped gives rows their group.
func Grouped(group string, rows ...Command) []Command {
	for i := range rows {
		rows[i].Group = group
	}
	return rows
}

// AnyNumber is the max of a command that takes any number of arguments.
const AnyNumber = 1 << 30

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

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bugbench:", err)
		os.Exit(1)
	}
}

// commands has the commands of bugbench by their names, the first argument.
var commands = map[string]func(ctx context.Context, args []string, out io.Writer) error{
	"learn": learn,
	"mine":  mine,
	"pairs": pairs,
	"run":   measure,
}

// run does what the arguments ask for.
func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) > 1 && commands[args[0]] != nil {
		return commands[args[0]](ctx, args[1:], out)
	}
	return fmt.Errorf("usage: bugbench mine CLONE... | bugbench learn CLONES | bugbench run [-half HALF] [-fixes FILE] CLONES")
}

// tables is the folder of the tables of fixes and judgements.
const tables = "debugger/internal/bugs/bugbench/testdata"

// measure measures how well the other places of fixes are found.
func measure(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	half := flags.String("half", "reporting", "tuning, reporting or all")
	file := flags.String("fixes", filepath.Join(tables, "fixes.tsv"), "the fixes")
	only := flags.String("only", "", "the methods whose names match this `expression`; default: all")
	list := flags.Bool("list", false, "print the answer for each fix")
	if err := flags.Parse(args); err != nil {
		return err
	}
	fixes, err := readFixes(*file, *half)
	if err != nil {
		return err
	}
	methods, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	if err := printJudged(out, filepath.Join(filepath.Dir(*file), "judged.tsv")); err != nil {
		return err
	}
	m := &measurement{clones: flags.Arg(0), list: *list, only: methods}
	return m.run(ctx, fixes, out)
}

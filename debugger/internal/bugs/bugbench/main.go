package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bugbench:", err)
		os.Exit(1)
	}
}

// run does what the arguments ask for.
func run(ctx context.Context, args []string) error {
	if len(args) > 1 && args[0] == "mine" {
		return mine(ctx, args[1:], os.Stdout)
	}
	if len(args) == 0 || args[0] != "run" {
		return fmt.Errorf("usage: bugbench mine CLONE... | bugbench run [-half HALF] [-fixes FILE] CLONES")
	}
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	half := flags.String("half", "reporting", "tuning, reporting or all")
	file := flags.String("fixes", "debugger/internal/bugs/bugbench/testdata/fixes.tsv", "the fixes")
	only := flags.String("only", "", "the methods whose names match this `expression`; default: all")
	list := flags.Bool("list", false, "print the answer for each fix")
	if err := flags.Parse(args[1:]); err != nil {
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
	if err := printJudged(os.Stdout, filepath.Join(filepath.Dir(*file), "judged.tsv")); err != nil {
		return err
	}
	m := &measurement{clones: flags.Arg(0), list: *list, only: methods}
	return m.run(ctx, fixes, os.Stdout)
}

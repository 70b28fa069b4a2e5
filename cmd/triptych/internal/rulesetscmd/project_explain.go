package rulesetscmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/rulesets/editors"
	"github.com/triptych-mcp/triptych/rulesets/project"
)

// explainFlags are the flags of rulesets explain.
type explainFlags struct {
	dir, cwd string
	clients  []string
	asJSON   bool
	observed bool
}

func (a commands) rulesetsExplain() command.Command {
	var f explainFlags
	return command.Command{
		Name: "explain", Args: "FILE", Min: 1, Max: 1,
		Short: "say which rule files each editor loads for a file, and why not the others",
		Long: "It reads all rule files of the project, written by hand too, and decides as\n" +
			"each client does: by the names of files, their front matter, the client's globs\n" +
			"and its limits. It also lists the user's own files, and commands, skills and agents,\n" +
			"which are no rules. Without --client, the clients of " + project.SelectionFile + ", or all that\n" +
			"find a rule file.",
		Example: "triptych rulesets explain src/x.go\ntriptych rulesets explain src/x.go --client codex --cwd src",
		Flags: func(set *pflag.FlagSet) {
			set.StringVar(&f.dir, "dir", "", "the project's `folder`; without it the nearest one with "+project.SelectionFile)
			set.StringVar(&f.cwd, "cwd", ".", "the `folder` of the project that the clients were started in")
			set.StringSliceVar(&f.clients, "client", nil, "only these `clients`; see docs/editors.md")
			command.Offer(set, "client", editors.Names())
			set.BoolVar(&f.observed, "observed", false, "compare with the files that Claude Code has loaded, which triptych hook install records")
			command.JSONFlag(set, &f.asJSON)
		},
		Run: func(_ context.Context, args []string) error {
			if f.observed && len(f.clients) > 0 {
				return cmderr.UsageErrorf("--observed is of Claude Code: it goes without --client")
			}
			return a.explain(&f, args[0])
		},
	}
}

// An explanation has the verdicts of one client.
type explanation struct {
	Client   string            `json:"client"`
	Verdicts []editors.Verdict `json:"files"`
	OfUser   []editors.Verdict `json:"user_files,omitempty"`
	Others   []editors.Verdict `json:"other_files,omitempty"`
}

func (a commands) explain(f *explainFlags, word string) error {
	root, err := projectRoot(f.dir)
	if err != nil {
		return err
	}
	file, err := below(root, word, f.dir != "")
	if err != nil {
		return err
	}
	cwd, err := below(root, f.cwd, true)
	if err != nil {
		return err
	}
	names := f.clients
	var mine []string
	if p, err := project.Open(root); err == nil {
		if len(names) == 0 {
			names = append(slices.Clone(p.Selection.Targets), p.Local.Targets...)
		}
		mine = p.PersonalFiles()
		p.Close()
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == editors.PluginTarget }) // no client
	everyone := len(names) == 0
	if everyone {
		names = editors.Names()
	}
	clients, err := editors.Targets(names)
	if err != nil {
		return cmderr.UsageErrorf("%v", err)
	}
	files, err := editors.Scan(os.DirFS(root))
	if err != nil {
		return err
	}
	var all []explanation
	if f.observed {
		return a.explainObserved(root, file, f.asJSON, editors.Find("claude").Explain(files, file, cwd))
	}
	for _, c := range clients {
		verdicts := c.Explain(files, file, cwd)
		for i := range verdicts {
			if slices.Contains(mine, verdicts[i].Path) {
				verdicts[i].Reason += "; personal, of " + project.LocalFile
			}
		}
		if len(verdicts) > 0 || !everyone {
			all = append(all, explanation{c.Name, verdicts, c.OfUser(inHome), c.NoRules(files)})
		}
	}
	if f.asJSON {
		return a.PrintJSON(all)
	}
	return printExplanations(a.IO, file, all)
}

// inHome reports whether there is a file or a folder below the user's home.
func inHome(name string) bool {
	home, err := os.UserHomeDir()
	if err != nil {
		return false
	}
	_, err = os.Stat(filepath.Join(home, filepath.FromSlash(name)))
	return err == nil
}

// projectRoot returns the folder of the project, as an absolute path.
func projectRoot(dir string) (string, error) {
	if dir != "" {
		return filepath.Abs(dir)
	}
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	return project.FindRoot(here), nil
}

// below returns a path as one from root, with /. A relative one is from root if
// fromRoot, else from the working directory.
func below(root, word string, fromRoot bool) (string, error) {
	file := word
	if !filepath.IsAbs(file) {
		base := root
		if !fromRoot {
			here, err := os.Getwd()
			if err != nil {
				return "", err
			}
			base = here
		}
		file = filepath.Join(base, file)
	}
	rel, err := filepath.Rel(root, file)
	if err != nil || !filepath.IsLocal(rel) {
		return "", cmderr.UsageErrorf("%s is not in the project %s", word, root)
	}
	return filepath.ToSlash(rel), nil
}

func printExplanations(out *cmdio.IO, file string, all []explanation) error {
	if len(all) == 0 {
		return out.Printf("no client finds a rule file for %s\n", file)
	}
	var errs []error
	for _, e := range all {
		errs = append(errs, out.Printf("%s (%s)\n", editors.Find(e.Client).Title, e.Client))
		if len(e.Verdicts) == 0 {
			errs = append(errs, out.Printf("  finds no rule files\n"))
		}
		for _, v := range e.Verdicts {
			word := "not  "
			if v.Loaded {
				word = "loads"
			}
			rules := ""
			if len(v.Rules) > 0 {
				rules = fmt.Sprintf(" [%s]", strings.Join(v.Rules, ", "))
			}
			errs = append(errs, out.Printf("  %s  %s%s: %s\n", word, v.Path, rules, v.Reason))
		}
		errs = append(errs, printBesides(out, e))
	}
	return errors.Join(errs...)
}

// maxOthers is the number of other files of a client that are printed.
const maxOthers = 10

// printBesides prints the files of a client that are no rules of the project, and the size of
// those that it loads.
func printBesides(out *cmdio.IO, e explanation) error {
	var errs []error
	for _, v := range e.OfUser {
		errs = append(errs, out.Printf("  loads  %s: %s\n", v.Path, v.Reason))
	}
	for i, v := range e.Others {
		if i == maxOthers {
			errs = append(errs, out.Printf("  other  %d more commands, skills, agents and files of modes\n", len(e.Others)-i))
			break
		}
		errs = append(errs, out.Printf("  other  %s: %s\n", v.Path, v.Reason))
	}
	files, size := 0, 0
	for _, v := range e.Verdicts {
		if v.Loaded {
			files, size = files+1, size+v.Bytes
		}
	}
	if files > 0 {
		errs = append(errs, out.Printf("  in all %d bytes in %d files of the project\n", size, files))
	}
	return errors.Join(errs...)
}

package releasecmd

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
)

// ManPages returns the overview, a page for each command of a table, with those below it,
// and the page of settings: by file name below a folder of man pages.
func ManPages(root command.Command, families []app.Family) map[string]string {
	pages := map[string]string{
		"man1/triptych.1":          overviewPage(root, families),
		"man5/triptych-settings.5": settingsPage(root),
	}
	for _, c := range root.Sub {
		if !c.Hidden {
			pages["man1/triptych-"+c.Name+".1"] = commandPage(c)
		}
	}
	return pages
}

// commandPage is the page of a command and those below it.
func commandPage(c command.Command) string {
	var p page
	name := "triptych-" + c.Name
	p.title(name, 1, c.Short)
	if c.Run == nil && c.Long == "" { // NAME says all that there is to say
		p.section("COMMANDS")
	} else {
		p.section("DESCRIPTION")
		p.command(c)
	}
	p.below("triptych "+c.Name, c.Sub)
	return p.String()
}

// below writes the rows below one.
func (p *page) below(path string, rows []command.Command) {
	for _, c := range rows {
		if c.Hidden {
			continue
		}
		if c.Run != nil {
			p.line(".SS " + roffText(strings.TrimSpace(path+" "+c.Name+" "+c.Args)))
			p.command(c)
		}
		p.below(path+" "+c.Name, c.Sub)
	}
}

// command writes what a row does, its flags and examples.
func (p *page) command(c command.Command) {
	p.text(command.Sentence(c.Short) + " " + c.Long)
	own, _ := c.FlagsOf()
	for _, s := range own {
		usage := s.Explanation()
		if s.Short != "" {
			usage += " Short: -" + s.Short + "."
		}
		p.item(s, usage)
	}
	p.example(c.Example)
}

// item writes a flag with a text.
func (p *page) item(s command.Setting, text string) {
	p.entry(s.Spelling(), text)
}

// settingsPage is the page of all settings.
func settingsPage(root command.Command) string {
	var p page
	p.title("triptych-settings", 5, "flags, environment variables and keys of the configuration file")
	p.section("DESCRIPTION")
	p.text("A setting is a flag, a key of the YAML file of --config, and mostly an environment variable.\n" +
		"A flag wins over its variable, and that over the file. Keys of the file are flags without --.")
	for _, group := range command.ByGroup(command.Settings(root)) {
		p.section(strings.ToUpper(group.Name))
		p.line("Read by " + roffText(strings.Join(group.Commands, "; ")) + ", unless something else is said.")
		for _, s := range group.Settings {
			text := s.Explanation()
			if len(s.Variables) > 0 {
				text += " (" + strings.Join(s.Variables, ", ") + ")"
			}
			p.item(s, text)
		}
	}
	p.section("ENVIRONMENT")
	p.items(command.OtherVariables)
	p.section("SEE ALSO")
	p.line(`.BR triptych (1)`)
	return p.String()
}

// writeManPages writes pages below a folder.
func writeManPages(folder string, pages map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(pages[name]), 0o644); err != nil {
			return err
		}
	}
	return nil
}

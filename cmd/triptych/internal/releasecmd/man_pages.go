package releasecmd

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
)

// manPages returns the overview and a page for each command, by file name.
func manPages(root app.Command, families []app.Family) map[string]string {
	pages := map[string]string{"triptych.1": ManPage(root, families)}
	for _, c := range root.Sub {
		addManPages(pages, "triptych", c)
	}
	return pages
}

// addManPages adds the pages of a row and of those below it.
func addManPages(pages map[string]string, path string, c app.Command) {
	if c.Hidden {
		return
	}
	path += " " + c.Name
	pages[strings.ReplaceAll(path, " ", "-")+".1"] = commandPage(path, c)
	for _, sub := range c.Sub {
		addManPages(pages, path, sub)
	}
}

// commandPage is the man page of one command; one with commands below it lists them.
func commandPage(path string, c app.Command) string {
	dashed := strings.ReplaceAll(path, " ", "-")
	var p page
	p.line(`.TH ` + strings.ToUpper(dashed) + ` 1 "" "triptych" "User Commands"`)
	p.section("NAME")
	p.text(dashed + " - " + c.Short)
	p.section("SYNOPSIS")
	p.line(`.B ` + roffText(path))
	arguments := c.Args
	if len(c.Sub) > 0 {
		arguments = "COMMAND"
	}
	p.line(roffText(strings.TrimSpace(arguments + " [--flag ...]")))
	p.section("DESCRIPTION")
	p.text(app.Sentence(c.Short) + "\n\n" + c.Long)
	if c.Flags != nil {
		p.section("OPTIONS")
		p.flags(c)
	}
	if c.Example != "" {
		p.section("EXAMPLES")
		p.example(c.Example)
	}
	p.section("SEE ALSO")
	p.line(strings.Join(related(dashed, c), " ,\n"))
	return p.String()
}

// related names the overview and the pages of the commands below.
func related(dashed string, c app.Command) []string {
	pages := []string{`.BR triptych (1)`}
	for _, sub := range c.Sub {
		if !sub.Hidden {
			pages = append(pages, `.BR `+roffText(dashed+"-"+sub.Name)+` (1)`)
		}
	}
	return pages
}

func writeManPages(folder string, pages map[string]string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(pages[name]), 0o644); err != nil {
			return err
		}
	}
	return nil
}

package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// manPages returns the overview and a page for each command, by file name.
func manPages(root command, families []family) map[string]string {
	pages := map[string]string{"triptych.1": manPage(root, families)}
	for _, c := range root.sub {
		addManPages(pages, "triptych", c)
	}
	return pages
}

// addManPages adds the pages of a row and of those below it.
func addManPages(pages map[string]string, path string, c command) {
	if c.hidden {
		return
	}
	path += " " + c.name
	pages[strings.ReplaceAll(path, " ", "-")+".1"] = commandPage(path, c)
	for _, sub := range c.sub {
		addManPages(pages, path, sub)
	}
}

// commandPage is the man page of one command; one with commands below it lists them.
func commandPage(path string, c command) string {
	dashed := strings.ReplaceAll(path, " ", "-")
	var p page
	p.line(`.TH ` + strings.ToUpper(dashed) + ` 1 "" "triptych" "User Commands"`)
	p.section("NAME")
	p.text(dashed + " - " + c.short)
	p.section("SYNOPSIS")
	p.line(`.B ` + roffText(path))
	arguments := c.args
	if len(c.sub) > 0 {
		arguments = "COMMAND"
	}
	p.line(roffText(strings.TrimSpace(arguments + " [--flag ...]")))
	p.section("DESCRIPTION")
	p.text(sentence(c.short) + "\n\n" + c.long)
	if c.flags != nil {
		p.section("OPTIONS")
		p.flags(c)
	}
	if c.example != "" {
		p.section("EXAMPLES")
		p.example(c.example)
	}
	p.section("SEE ALSO")
	p.line(strings.Join(related(dashed, c), " ,\n"))
	return p.String()
}

// related names the overview and the pages of the commands below.
func related(dashed string, c command) []string {
	pages := []string{`.BR triptych (1)`}
	for _, sub := range c.sub {
		if !sub.hidden {
			pages = append(pages, `.BR `+roffText(dashed+"-"+sub.name)+` (1)`)
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

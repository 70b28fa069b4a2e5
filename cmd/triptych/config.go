package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/clients"
)

func (a *app) configCommand() command {
	var c configRun
	return command{
		name: "config", args: "CLIENT", min: 0, max: 1,
		short: "print or write the configuration of an editor or assistant",
		long: "Clients: " + strings.Join(clients.Names(), ", ") + ".\n\n" +
			"With --write the entry is merged into the client's own file; everything else\n" +
			"in that file stays as it is. Flags such as --data and --families become part\n" +
			"of the entry. Without a client the known ones are listed with their files.",
		example: "triptych config vscode\ntriptych config claude-desktop --write\ntriptych config cursor --write --scope user --families aoc",
		flags: func(set *pflag.FlagSet) {
			set.BoolVar(&c.write, "write", false, "merge it into the client's file")
			set.StringVar(&c.scope, "scope", "", "the `scope` of the file: project (this folder) or user")
			set.StringVar(&c.name, "name", "triptych", "the `name` of the entry")
			a.serverFlags(set)
			c.flags = set
		},
		complete: func(context.Context, []string) []string { return clients.Names() },
		run: func(_ context.Context, args []string) error {
			if len(args) == 0 {
				return a.listClients(clients.Scope(c.scope))
			}
			return a.configure(args[0], c)
		},
	}
}

// A configRun holds the flags of config.
type configRun struct {
	write       bool
	scope, name string
	flags       *pflag.FlagSet
}

func (a *app) configure(name string, c configRun) error {
	client, err := clients.Find(name)
	if err != nil {
		return misused("%v", err)
	}
	where, err := a.where()
	if err != nil {
		return err
	}
	path, err := client.Path(clients.Scope(c.scope), where)
	if err != nil {
		return misused("%v", err)
	}
	entry, err := a.entry(c)
	if err != nil {
		return err
	}
	if c.write {
		return a.writeConfig(client, path, entry)
	}
	fmt.Fprintf(a.err, "triptych: for %s; --write merges it\n", path)
	return a.printf("%s", client.Render(entry))
}

// entry starts this very program, with the flags that were given.
func (a *app) entry(c configRun) (clients.Entry, error) {
	self, err := selfPath()
	if err != nil {
		return clients.Entry{}, err
	}
	return clients.Entry{Name: c.name, Command: self, Args: a.serverArgs(c.flags)}, nil
}

// absolute is a path that means the same wherever the client starts us.
func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

// selfPath is the real path of this program.
func selfPath() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding this program: %w", err)
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	return self, nil
}

func (a *app) writeConfig(client clients.Client, path string, entry clients.Entry) error {
	changed, err := clients.Edit(path, func(old []byte) ([]byte, error) { return client.Merge(old, entry) })
	if err != nil {
		return hinted(fmt.Errorf("%w; the file is as it was", err), "add this by hand:\n"+string(client.Render(entry)))
	}
	if !changed {
		return a.printf("%s is up to date\n", path)
	}
	fmt.Fprintf(a.err, "triptych: hint: %s\n", client.After)
	return a.printf("wrote %s\n", path)
}

// listClients shows the known clients and where their files are.
func (a *app) listClients(scope clients.Scope) error {
	where, err := a.where()
	if err != nil {
		return err
	}
	rows := [][]string{{"CLIENT", "SCOPE", "FILE", "CONFIGURED"}}
	for _, c := range clients.All() {
		for _, s := range c.Scopes() {
			path, err := c.Path(s, where)
			if err != nil || scope != "" && s != scope {
				continue
			}
			rows = append(rows, []string{c.Name, string(s), path, configured(c, path)})
		}
	}
	return a.printTable(rows)
}

// configured says whether a client's file mentions us.
func configured(c clients.Client, path string) string {
	text, err := clients.Read(path)
	if err != nil {
		return "unreadable"
	}
	command, err := c.Command(text, "triptych")
	switch {
	case err != nil:
		return "invalid file"
	case command != "":
		return "yes"
	}
	return "no"
}

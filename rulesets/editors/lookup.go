package editors

import (
	"path"
	"slices"
	"strings"
)

// Find returns the client of a name, nil if there is none.
func Find(name string) *Client {
	for i := range Clients {
		if Clients[i].Name == name {
			return &Clients[i]
		}
	}
	return nil
}

// Names returns the names of all clients, in the order of the table.
func Names() []string {
	var names []string
	for _, c := range Clients {
		names = append(names, c.Name)
	}
	return names
}

// Of returns the client that a file of rules belongs to, nil if it is of none: the
// first in the table that has rules of their own in this place.
func Of(file string) *Client {
	for i := range Clients {
		if f := Clients[i].Folder; f != nil {
			if _, ok := f.holds(file); ok {
				return &Clients[i]
			}
		}
	}
	return nil
}

// Readers returns the clients that load the file at a path.
func Readers(file string) []*Client {
	var all []*Client
	for i := range Clients {
		if Clients[i].Reads(file) {
			all = append(all, &Clients[i])
		}
	}
	return all
}

// FolderNames returns the hidden folders in which clients look for rules, sorted.
func FolderNames() []string {
	seen := map[string]bool{}
	add := func(dir string) {
		if first, _, _ := strings.Cut(dir, "/"); strings.HasPrefix(first, ".") {
			seen[first] = true
		}
	}
	for _, c := range Clients {
		if c.Folder != nil {
			add(c.Folder.Dir)
		}
		if c.Commands != nil {
			add(c.Commands.Dir)
		}
		for _, f := range c.Others {
			add(f.Dir)
		}
		for _, dir := range c.Skills {
			add(dir)
		}
		for _, l := range c.Loads {
			for _, names := range l.Names {
				for _, name := range names {
					if dir := path.Dir(name); dir != "." {
						add(dir)
					}
				}
			}
		}
	}
	return sortedKeys(seen)
}

func sortedKeys[K ~string, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

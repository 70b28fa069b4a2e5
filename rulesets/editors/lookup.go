package editors

import (
	"path"
	"slices"
	"strings"
)

// aliases are other names of clients: those of their programs, and those that the
// configuration of MCP servers has.
var aliases = map[string]string{
	"agents-md": "agents", "agentsmd": "agents", "agents.md": "agents", "claude-code": "claude", "claudecode": "claude", "claude-md": "claude-import",
	"windsurf": "devin", "codeium": "devin", "gemini-cli": "gemini", "geminicli": "gemini", "github-copilot": "copilot", "copilot-cli": "copilot",
	"vs-code": "vscode", "visual-studio-code": "vscode", "codex-cli": "codex", "openai-codex": "codex", "kilocode": "kilo", "kilo-code": "kilo",
	"qwen-code": "qwen", "augmentcode": "augment", "auggie": "augment", "open-code": "opencode", "ampcode": "amp", "amp-code": "amp",
	"kiro-cli": "kiro", "cursor-cli": "cursor", "cline-cli": "cline", "jetbrains-junie": "junie", "google-antigravity": "antigravity",
}

// Canonical returns the name in [Clients] for a name or another name of a client; other
// texts are returned as they are.
func Canonical(name string) string {
	lower := strings.ToLower(strings.TrimSpace(name))
	lower = strings.NewReplacer(" ", "-", "_", "-").Replace(lower)
	if to, ok := aliases[lower]; ok {
		return to
	}
	for i := range Clients {
		if Clients[i].Name == lower || strings.EqualFold(Clients[i].Title, name) {
			return Clients[i].Name
		}
	}
	return name
}

// Aliases returns the other names of a client, sorted.
func Aliases(client string) (names []string) {
	for _, alias := range sortedKeys(aliases) {
		if aliases[alias] == client {
			names = append(names, alias)
		}
	}
	return names
}

// Similar returns the name of the client that a misspelled name is nearest to, "" if it is
// near to none.
func Similar(name string) string {
	return Canonical(Nearest(name, append(Names(), sortedKeys(aliases)...)))
}

// Nearest returns the word of a list that a misspelled word is nearest to, "" if it is near
// to none.
func Nearest(word string, words []string) string {
	lower, best, least := strings.ToLower(word), "", 3
	for _, known := range words {
		d := distance(lower, known)
		if len(lower) > 2 && (strings.HasPrefix(known, lower) || strings.HasPrefix(lower, known)) {
			d = min(d, 2)
		}
		if d < least {
			best, least = known, d
		}
	}
	return best
}

// distance returns the number of letters that differ between two words: inserted, left
// out, replaced or swapped ones.
func distance(a, b string) int {
	if len(a) > 40 {
		return len(a)
	}
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row := rows[(i+2)%3], rows[(i)%3], rows[(i+1)%3]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return rows[(len(a)+1)%3][len(b)]
}

// Find returns the client of a name or another name, nil if there is none.
func Find(name string) *Client {
	for range 2 {
		for i := range Clients {
			if Clients[i].Name == name {
				return &Clients[i]
			}
		}
		name = Canonical(name)
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
		if _, _, ok := Clients[i].held(file); ok {
			return &Clients[i]
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

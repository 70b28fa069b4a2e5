package clients

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// An Entry is one server that a client starts and talks to over standard
// input and output.
type Entry struct {
	Name    string // the key under which the client lists it
	Command string // absolute path of the program
	Args    []string
	Env     map[string]string
}

// A Scope says for whom an entry is: everything the user opens, or one folder.
type Scope string

// The scopes.
const (
	User    Scope = "user"
	Project Scope = "project"
)

// Where says where files are looked for.
type Where struct {
	GOOS   string              // as runtime.GOOS
	Home   string              // the user's home folder
	Dir    string              // the project's folder
	Getenv func(string) string // environment variables that move folders
}

// A Client is one program that can be configured.
type Client struct {
	Name  string // what a person types: "claude-code"
	Title string // what its makers call it
	After string // what to do so that it sees the new entry

	key     string // the member of the file that holds the servers
	syntax  syntax
	entry   func(Entry) object
	user    files
	project string // slash-separated, relative to the project; "" when it has none
}

// A syntax is a kind of configuration file.
type syntax struct {
	render  func(key string, name string, entry object) []byte
	merge   func(old []byte, key, name string, entry object) ([]byte, error)
	command func(old []byte, key, name string) (any, error)
}

// files are the places of a user's file; "" where the client does not exist.
// They begin with a folder variable that [Where.expand] knows.
type files struct{ linux, darwin, windows string }

// Scopes returns the scopes that the client has, the default first.
func (c Client) Scopes() []Scope {
	switch {
	case c.project == "":
		return []Scope{User}
	case c.user == files{}:
		return []Scope{Project}
	}
	return []Scope{Project, User}
}

// Path is the file that the client reads for this scope. It need not exist.
// An empty scope means the first of [Client.Scopes].
func (c Client) Path(scope Scope, w Where) (string, error) {
	scope = cmp.Or(scope, c.Scopes()[0])
	if !slices.Contains(c.Scopes(), scope) {
		return "", &ScopeError{Client: c.Title, Scope: scope, Has: c.Scopes()}
	}
	if scope == Project {
		return filepath.Join(w.Dir, filepath.FromSlash(c.project)), nil
	}
	pattern := c.user.on(w.GOOS)
	if pattern == "" {
		return "", fmt.Errorf("%s does not run on %s", c.Title, w.GOOS)
	}
	return w.expand(pattern), nil
}

func (f files) on(goos string) string {
	switch goos {
	case "darwin":
		return f.darwin
	case "windows":
		return f.windows
	}
	return f.linux
}

// expand replaces the folder variable at the start of a pattern.
func (w Where) expand(pattern string) string {
	first, rest, _ := strings.Cut(pattern, "/")
	return filepath.Join(w.folder(first), filepath.FromSlash(rest))
}

// folder is the meaning of a folder variable: the environment's when it is
// set, else the system's default.
func (w Where) folder(name string) string {
	switch name {
	case "$CONFIG":
		return cmp.Or(w.Getenv("XDG_CONFIG_HOME"), filepath.Join(w.Home, ".config"))
	case "$APPDATA":
		return cmp.Or(w.Getenv("APPDATA"), filepath.Join(w.Home, "AppData", "Roaming"))
	case "$SUPPORT":
		return filepath.Join(w.Home, "Library", "Application Support")
	case "$CLAUDE":
		return cmp.Or(w.Getenv("CLAUDE_CONFIG_DIR"), w.Home)
	case "$CODEX":
		return cmp.Or(w.Getenv("CODEX_HOME"), filepath.Join(w.Home, ".codex"))
	}
	return w.Home
}

// Render is a whole file with nothing but the entry in it: what a person
// would paste. It ends in a newline.
func (c Client) Render(e Entry) []byte {
	return c.syntax.render(c.key, e.Name, c.entry(e))
}

// Merge returns old with the entry in it. An entry of that name is brought up
// to date and keeps what the client or a person added to it; everything else
// stays byte for byte. Merging twice is the same as merging once. An empty old
// is a new file; one that is not valid is an [*InvalidError].
func (c Client) Merge(old []byte, e Entry) ([]byte, error) {
	if len(strings.TrimSpace(string(old))) == 0 {
		return c.Render(e), nil
	}
	return c.syntax.merge(old, c.key, e.Name, c.entry(e))
}

// Command is the program that the file starts for the server of that name,
// "" when the file does not mention it.
func (c Client) Command(old []byte, name string) (string, error) {
	if len(strings.TrimSpace(string(old))) == 0 {
		return "", nil
	}
	found, err := c.syntax.command(old, c.key, name)
	switch command := found.(type) {
	case string:
		return command, err
	case []any: // OpenCode keeps program and arguments in one list
		if len(command) > 0 {
			program, _ := command[0].(string)
			return program, err
		}
	}
	return "", err
}

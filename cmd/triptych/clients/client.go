package clients

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// An Entry is one server: a program that the client starts and talks to over
// standard input and output, or, with a URL, a server that it reaches over HTTPS.
type Entry struct {
	Name    string // the key under which the client lists it
	Command string // absolute path of the program, or its name on PATH
	Args    []string
	Env     map[string]string

	URL    string // of the endpoint; Command, Args and Env are then not used
	KeyEnv string // the environment variable that holds the bearer key
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
	remote  func(Entry) object
	trust   trust
	user    files
	project string // slash-separated, relative to the project; "" when it has none
}

// A syntax is a kind of configuration file.
type syntax struct {
	render func(key string, name string, entry object) []byte
	merge  func(old []byte, key, name string, entry object) ([]byte, error)
	member func(old []byte, key, name, member string) (any, error)
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
	return c.syntax.render(c.key, e.Name, c.object(e))
}

// object is the entry in the client's own shape.
func (c Client) object(e Entry) object {
	if e.URL != "" {
		return c.remote(e)
	}
	return c.entry(e)
}

// Merge returns old with the entry in it. An entry of that name is brought up
// to date and keeps what the client or a person added to it; everything else
// stays byte for byte. Merging twice is the same as merging once. An empty old
// is a new file; one that is not valid is an [*InvalidError], as is one whose
// entry of that name is of the other kind, a program or a URL.
func (c Client) Merge(old []byte, e Entry) ([]byte, error) {
	if len(strings.TrimSpace(string(old))) == 0 {
		return c.Render(e), nil
	}
	entry := c.object(e)
	if err := c.checkKind(old, e.Name, entry); err != nil {
		return nil, err
	}
	return c.syntax.merge(old, c.key, e.Name, entry)
}

// kindMembers are the members of which an entry has exactly one.
var kindMembers = []string{"command", "url", "serverUrl", "httpUrl"}

// checkKind refuses to lay an entry over one that reaches its server in another
// way: both would stay in the file, and clients differ in which they follow.
func (c Client) checkKind(old []byte, name string, entry object) error {
	for _, kind := range kindMembers {
		if entry.has(kind) {
			continue
		}
		switch found, err := c.syntax.member(old, c.key, name, kind); {
		case err != nil:
			return err
		case found != nil:
			return invalid("the entry %q has a %q; remove it first, or choose another name with --name", name, kind)
		}
	}
	return nil
}

// Command is the program that the file starts for the server of that name,
// "" when the file does not mention it.
func (c Client) Command(old []byte, name string) (string, error) {
	if len(strings.TrimSpace(string(old))) == 0 {
		return "", nil
	}
	found, err := c.syntax.member(old, c.key, name, "command")
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

// URL is the address at which the file has the server of that name, "" when it
// does not mention it or starts a program.
func (c Client) URL(old []byte, name string) (string, error) {
	if len(strings.TrimSpace(string(old))) == 0 {
		return "", nil
	}
	for _, kind := range kindMembers[1:] {
		found, err := c.syntax.member(old, c.key, name, kind)
		if address, ok := found.(string); ok || err != nil {
			return address, err
		}
	}
	return "", nil
}

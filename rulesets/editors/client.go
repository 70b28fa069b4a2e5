package editors

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// A Client is an editor or an agent that reads rule files.
type Client struct {
	Name  string // as selections and rules write it
	Title string

	// Folder takes each rule as a file of its own. Clients without one get all rules
	// in the file Shared.
	Folder   *Folder
	FormOf   string // the client with the same files; empty for itself
	Shared   string
	Nested   bool // files named Shared in folders below the root are loaded, too
	Commands *Commands
	Skills   []string // the folders of skills that the client reads, its own first

	Loads   []Load   // the files beside Folder that the client loads
	Others  []Folder // folders of other clients that it reads
	Budgets []Budget
	Home    []string // files and folders below the user's home that it loads in every project
	Links   *Links   // nil if it was not asked
	// DropsCopies is true for a client that loads files with the same content once.
	DropsCopies bool
	// Imports says how it loads the files that @path in those of Loads names, nil if it
	// does not.
	Imports *Imports

	Source string   // where this is documented
	More   []string // further sources
	Read   string   // the day on which the sources were read
	Asked  string   // the version of the client that package conformance/editors asks; empty for none
	Note   string   // what is peculiar, one sentence; may be empty
}

// A Folder is a folder with one rule a file.
type Folder struct {
	Dir    string // ".cursor/rules"
	Ext    string // ".mdc"
	Flat   bool   // folders below Dir are not read
	Deep   bool   // a Dir below each folder of the project counts, not only the root's
	Fields []Field
	Modes  map[Activation]string // the values of the field of kind Mode

	// Bare is the activation of a file that gives none, and Described of one that has
	// a description.
	Bare, Described Activation

	// Projects says how activations that the client lacks are projected; "" means
	// that the rule is skipped.
	Projects map[Activation]Activation
	Dialect  Dialect
	Ignores  []string // extensions of files that people put here and that are not read
	Wrong    []string // keys that people write here and that do nothing
}

// A Field is a key of a front matter.
type Field struct {
	Key  string
	Kind Kind
	When []Activation // the activations that it is written for; empty means all
}

// A Kind is the meaning and the form of a [Field].
type Kind int

// The kinds of fields.
const (
	Description Kind = iota + 1
	Name             // the name of the rule
	Mode             // the activation, one of [Folder.Modes]
	AlwaysApply      // whether the activation is [Always]
	RawGlobs         // globs between commas, without quotes
	CommaGlobs       // globs between commas, in quotes
	ListGlobs        // a list of globs
	EitherGlobs      // a list of globs, or one glob as a text
)

func (k Kind) isGlobs() bool { return k >= RawGlobs }

// Commands is a folder whose files are commands: prompts that a person starts.
type Commands struct {
	Dir, Ext string
	Fields   []Field // Description and Hint only
	HintKey  string  // the key of the arguments; "" if there is none
	TOML     bool    // the prompt is a string in TOML
	Args     Placeholders
	Embeds   *Embeds // nil if it replaces no other texts
	Source   string  // where the placeholders are documented; "" for Client.Source
	Read     string  // the day on which that was read
}

// Embeds are the texts that clients replace in a command by the output of a program, by a
// file or by a variable.
type Embeds struct {
	Forms   []string // as documents show them
	pattern *regexp.Regexp
}

// Placeholders are the texts that a client replaces in a command by the words that a
// person types behind its name. A client with the zero Placeholders replaces nothing and
// adds these words to the text.
type Placeholders struct {
	All string // all that was typed: $ARGUMENTS
	// Each is the format of one argument, with %d for its number, counted from First,
	// or %s for its name.
	Each  string
	First int
}

// A Load is a set of files that a client loads by their names.
type Load struct {
	In Scope
	// Names are alternatives, the most important first: of each folder the client
	// loads the files of the first alternative that has any.
	Names [][]string
	// Unless are files that keep the load from all folders if a folder from the root to
	// the working directory has one of them.
	Unless []string
}

// Imports are the ways in which clients read @path in a file.
type Imports struct {
	Trims bool // a comma or a full stop behind a path is not of it
	Below bool // without a person's consent, only files below the working directory are loaded
	// Source documents them; "" for that of the client.
	Source string
}

// A Scope is the set of folders that a [Load] searches.
type Scope int

// The scopes.
const (
	Root   Scope = iota + 1 // the root of the project
	Chain                   // from the root to the working directory
	Parent                  // from the root to the folder of the file at hand
)

func (s Scope) String() string {
	return [...]string{"", "root", "root to working directory", "root to the file's folder"}[s]
}

// A Budget limits what a client loads.
type Budget struct {
	Of     BudgetOf
	Size   int
	Chars  bool   // Size counts characters, not bytes
	Effect string // what happens to the rest
	Source string
}

// A BudgetOf is the quantity that a [Budget] limits.
type BudgetOf string

// The quantities that budgets limit.
const (
	ChainBudget BudgetOf = "all loaded files together"
	FileBudget  BudgetOf = "each rule file"
	UserBudget  BudgetOf = "the personal file"
)

// holds reports whether the file at a path, which is relative to the project, is in
// the folder, and returns the path below it.
func (f *Folder) holds(file string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(file, f.Dir+"/")
	if !ok && f.Deep {
		if _, below, found := strings.Cut(file, "/"+f.Dir+"/"); found {
			rest, ok = below, true
		}
	}
	if !ok || !strings.HasSuffix(rest, f.Ext) || f.Flat && strings.Contains(rest, "/") {
		return "", false
	}
	return rest, true
}

// elder returns the folder in which a client read its own rules before it had another
// name, and reads them still; nil if dir is none.
func (c *Client) elder(dir string) *Folder {
	for i := range c.Others {
		isOthers := slices.ContainsFunc(Clients, func(o Client) bool { return o.Folder != nil && o.Folder.Dir == dir })
		if c.Others[i].Dir == dir && !isOthers {
			return &c.Others[i]
		}
	}
	return nil
}

// held returns the path of a rule file below a folder of a client's own, and that folder;
// ok is false for other files.
func (c *Client) held(file string) (dir, rest string, ok bool) {
	if c.Folder == nil {
		return "", "", false
	}
	if rest, ok = c.Folder.holds(file); ok {
		return c.Folder.Dir, rest, true
	}
	for i := range c.Others {
		if f := c.elder(c.Others[i].Dir); f != nil {
			if rest, ok = f.holds(file); ok {
				return f.Dir, rest, true
			}
		}
	}
	return "", "", false
}

// Reads reports whether a client loads the file at a path, in some working directory.
func (c *Client) Reads(file string) bool {
	if c.Folder != nil {
		if _, ok := c.Folder.holds(file); ok {
			return true
		}
	}
	for i := range c.Others {
		if _, ok := c.Others[i].holds(file); ok {
			return true
		}
	}
	for _, dir := range c.Skills {
		if strings.Contains("/"+file, "/"+dir+"/") {
			return true
		}
	}
	if p := PlaceOf(file); p.Use == Command && p.Client != nil && (p.Client == c || p.Client.form() == c.form()) {
		return true
	}
	return slices.ContainsFunc(c.Loads, func(l Load) bool { return l.covers(file) })
}

// Dirs returns the folders in which a client has rules, commands and skills, a file each.
func (c *Client) Dirs() (dirs []string) {
	if c.Folder != nil {
		dirs = append(dirs, c.Folder.Dir)
	}
	if c.Commands != nil {
		dirs = append(dirs, c.Commands.Dir)
	}
	return append(dirs, c.Skills[:min(1, len(c.Skills))]...)
}

// Takes reports whether a client loads the file at a path in a project, when it works on a
// file in the same folder.
func (c *Client) Takes(file string, exists func(string) bool) bool {
	has := func(other string) bool { return other == file || exists(other) }
	for _, l := range c.Loads {
		if slices.ContainsFunc(l.Unless, func(name string) bool { return has(name) }) {
			continue
		}
		for _, dir := range Ancestors(path.Dir(file)) {
			if l.In == Chain && dir != "." {
				continue // only if it is started there
			}
			if slices.Contains(l.Take(dir, has), file) {
				return true
			}
		}
	}
	return false
}

// overlooks reports whether another file of the project keeps a client from the file at a
// path.
func (c *Client) overlooks(file string, exists func(string) bool) bool {
	return !slices.ContainsFunc(c.Loads, func(l Load) bool {
		return l.covers(file) && !slices.ContainsFunc(l.Unless, func(name string) bool { return name != file && exists(name) })
	})
}

// covers reports whether a load takes the file at a path.
func (l Load) covers(file string) bool {
	for _, names := range l.Names {
		for _, name := range names {
			if file == name || l.In != Root && strings.HasSuffix(file, "/"+name) {
				return true
			}
		}
	}
	return false
}

// LoadsNested reports whether a client loads files with a name from folders below the root.
func (c *Client) LoadsNested(name string) bool {
	return slices.ContainsFunc(c.Loads, func(l Load) bool {
		return l.In != Root && slices.ContainsFunc(l.Names, func(names []string) bool { return slices.Contains(names, name) })
	})
}

package editors

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// A Verdict says whether a client loads a rule file, and why.
type Verdict struct {
	Path   string   `json:"path"`
	Loaded bool     `json:"loaded"`
	Reason string   `json:"reason"`
	Rules  []string `json:"rules,omitempty"` // in the block of a shared file
	Bytes  int      `json:"bytes,omitempty"`
}

// Rulefiles are the files of a project that some client may load, sorted, with their
// content.
type Rulefiles struct {
	paths   []string
	content map[string][]byte
	links   map[string]link // the links among them
	folders []string        // links to folders that are not in the project
	others  []string        // commands, skills, agents and files of modes
}

// skippedFolders have files of others; clients skip them, too.
var skippedFolders = []string{".git", "node_modules", "vendor", "third_party", "__pycache__", "dist", "target", "venv"}

// Skips reports whether clients ignore folders with a name.
func Skips(folder string) bool { return slices.Contains(skippedFolders, folder) }

// maxExplained is the longest rule file that is read to explain it.
const maxExplained = 4 << 20

// Scan finds the rule files of a project, also behind links.
func Scan(project fs.FS) (*Rulefiles, error) {
	found := &Rulefiles{content: map[string][]byte{}, links: map[string]link{}}
	names := loadedNames()
	err := fs.WalkDir(project, ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrPermission):
			return fs.SkipDir
		case err != nil:
			return err
		case d.IsDir() && Skips(d.Name()):
			return fs.SkipDir
		case d.Type()&fs.ModeSymlink != 0:
			found.follow(project, file, names)
			return nil
		case !d.Type().IsRegular():
			return nil
		case !mayBeRule(file, names):
			found.addOther(file)
			return nil
		}
		info, err := d.Info()
		if err != nil || info.Size() > maxExplained {
			return err
		}
		data, err := fs.ReadFile(project, file)
		if err != nil {
			return err
		}
		found.paths, found.content[file] = append(found.paths, file), data
		return nil
	})
	slices.Sort(found.paths)
	for _, file := range found.paths {
		if mayImport(file) {
			(&Imports{Trims: true}).Of(file, ".", func(name string) (string, bool) { return found.read(project, name) })
			(&Imports{}).Of(file, ".", func(name string) (string, bool) { return found.read(project, name) })
		}
	}
	return found, err
}

// read returns the text of a file that another one imports, and keeps it.
func (r *Rulefiles) read(project fs.FS, name string) (string, bool) {
	if data, known := r.content[name]; known {
		return string(data), true
	}
	info, err := fs.Lstat(project, name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxExplained {
		return "", false
	}
	data, err := fs.ReadFile(project, name)
	if err != nil {
		return "", false
	}
	r.content[name] = data
	return string(data), true
}

// loadedNames returns the file names that clients load from any folder.
func loadedNames() map[string]bool {
	names := map[string]bool{}
	for _, c := range Clients {
		for _, l := range c.Loads {
			for _, alternatives := range l.Names {
				for _, name := range alternatives {
					names[path.Base(name)] = true
				}
			}
		}
	}
	return names
}

// mayBeRule reports whether some client may load a file, or a person may think so.
func mayBeRule(file string, names map[string]bool) bool {
	if names[path.Base(file)] {
		return true
	}
	for i := range Clients {
		for _, f := range Clients[i].folders() {
			if _, _, ok := f.place(file); ok {
				return true
			}
		}
	}
	return false
}

// folders returns the folders that a client reads rules from, its own first.
func (c *Client) folders() []*Folder {
	var all []*Folder
	if c.Folder != nil {
		all = append(all, c.Folder)
	}
	for i := range c.Others {
		all = append(all, &c.Others[i])
	}
	return all
}

// place reports whether a file is in a folder of rules, also in one with another
// extension, and returns the project folder that it is in and the path below it.
func (f *Folder) place(file string) (base, rest string, ok bool) {
	if rest, ok := strings.CutPrefix(file, f.Dir+"/"); ok {
		return ".", rest, f.known(rest)
	}
	if base, rest, ok := strings.Cut(file, "/"+f.Dir+"/"); ok && f.Deep {
		return base, rest, f.known(rest)
	}
	return "", "", false
}

// known reports whether a file has an extension that is read, or taken for one.
func (f *Folder) known(rest string) bool {
	return strings.HasSuffix(rest, f.Ext) || slices.ContainsFunc(f.Ignores, func(ext string) bool { return strings.HasSuffix(rest, ext) })
}

// Explain says which of the rule files a client loads for a file, in its order, and
// then which it does not. file and cwd, the folder that the client was started in, are
// relative to the project.
func (c *Client) Explain(files *Rulefiles, file, cwd string) []Verdict {
	e := explainer{client: c, files: files, file: file, cwd: cwd, seen: map[string]bool{}}
	for _, l := range c.Loads {
		e.load(l)
	}
	e.imports()
	for _, f := range c.folders() {
		e.folder(f)
	}
	e.linkedFolders()
	e.dropCopies()
	e.cut()
	slices.SortStableFunc(e.verdicts, func(a, b Verdict) int {
		switch {
		case a.Loaded == b.Loaded:
			return 0
		case a.Loaded:
			return -1
		}
		return 1
	})
	return e.verdicts
}

type explainer struct {
	client    *Client
	files     *Rulefiles
	file, cwd string
	verdicts  []Verdict
	seen      map[string]bool
}

func (e *explainer) add(file string, loaded bool, format string, args ...any) {
	if e.seen[file] {
		return
	}
	e.seen[file] = true
	v := Verdict{Path: file, Loaded: loaded, Reason: fmt.Sprintf(format, args...), Bytes: len(e.files.content[file])}
	if l, linked := e.files.links[file]; linked {
		e.client.throughLink(&v, l)
	}
	if block, err := SplitBlock(e.files.content[file]); err == nil {
		for _, s := range block.Sections {
			v.Rules = append(v.Rules, string(s.Name))
		}
	}
	e.verdicts = append(e.verdicts, v)
}

func (e *explainer) exists(file string) bool { _, ok := e.files.content[file]; return ok }

// load decides on the files with the names of a load.
func (e *explainer) load(l Load) {
	if keeper := e.unless(l); keeper != "" {
		for _, file := range e.files.paths {
			if l.covers(file) {
				e.add(file, false, "not read in a project with %s", keeper)
			}
		}
		return
	}
	for _, dir := range e.scope(l.In) {
		taken := l.Take(dir, e.exists)
		for _, file := range taken {
			e.add(file, true, "%s", inFolder(dir))
		}
		for _, names := range l.Names {
			for _, name := range names {
				if file := path.Join(dir, name); e.exists(file) && !slices.Contains(taken, file) {
					e.add(file, false, "shadowed by %s", strings.Join(taken, " and "))
				}
			}
		}
	}
	for _, file := range e.files.paths {
		if l.covers(file) || l.In == Root && slices.ContainsFunc(l.Names, func(names []string) bool { return slices.Contains(names, path.Base(file)) }) {
			e.outside(l, file)
		}
	}
}

// imports adds the files that loaded ones import.
func (e *explainer) imports() {
	if e.client.Imports == nil {
		return
	}
	for _, v := range slices.Clone(e.verdicts) {
		if !v.Loaded {
			continue
		}
		for _, file := range e.client.Imports.Of(v.Path, e.cwd, func(name string) (string, bool) { data, ok := e.files.content[name]; return string(data), ok }) {
			if at := slices.IndexFunc(e.verdicts, func(w Verdict) bool { return w.Path == file }); at >= 0 && !e.verdicts[at].Loaded {
				e.verdicts = slices.Delete(e.verdicts, at, at+1)
				delete(e.seen, file)
			}
			e.add(file, true, "imported by %s", v.Path)
		}
	}
}

// unless returns the file that keeps a load from all folders, "" if there is none.
func (e *explainer) unless(l Load) string {
	for _, dir := range Ancestors(e.cwd) {
		for _, name := range l.Unless {
			if file := path.Join(dir, name); e.exists(file) {
				return file
			}
		}
	}
	return ""
}

func inFolder(dir string) string {
	if dir == "." {
		return "in the root"
	}
	return "in " + dir
}

// scope returns the folders that a load searches, in order.
func (e *explainer) scope(in Scope) []string {
	switch in {
	case Chain:
		return Ancestors(e.cwd)
	case Parent:
		folders := Ancestors(e.cwd)
		for _, dir := range Ancestors(path.Dir(e.file)) {
			if !slices.Contains(folders, dir) {
				folders = append(folders, dir)
			}
		}
		return folders
	}
	return []string{"."}
}

// outside gives the reason why a file with a loaded name is in no folder of a load.
func (e *explainer) outside(l Load, file string) {
	dir := path.Dir(file)
	switch {
	case e.seen[file] || slices.Contains(e.scope(l.In), dir):
	case l.In == Root:
		e.add(file, false, "only files in the root are read")
	case l.In == Chain && (e.cwd == "." || strings.HasPrefix(dir+"/", e.cwd+"/")):
		e.add(file, false, "below the working directory, %s", folderName(e.cwd))
	default:
		e.add(file, false, "%s is not in %s", e.file, dir)
	}
}

func folderName(dir string) string {
	if dir == "." {
		return "the root"
	}
	return dir
}

// folder decides on the files in a folder of rules.
func (e *explainer) folder(f *Folder) {
	for _, file := range e.files.paths {
		base, rest, ok := f.place(file)
		switch {
		case !ok:
		case !strings.HasSuffix(rest, f.Ext):
			e.add(file, false, "only files that end in %s are read here", f.Ext)
		case f.Flat && strings.Contains(rest, "/"):
			e.add(file, false, "folders below %s are not read", f.Dir)
		case base != "." && !strings.HasPrefix(e.file, base+"/"):
			e.add(file, false, "%s is not in %s", e.file, base)
		default:
			e.rule(f, file, strings.TrimPrefix(strings.TrimPrefix(e.file, base), "/"))
		}
	}
}

// rule decides on a rule file by its front matter. target is the file at hand, from
// the folder that the rules are for.
func (e *explainer) rule(f *Folder, file, target string) {
	text, _ := decode(e.files.content[file])
	parts, err := splitHead(text)
	open := ""
	if err != nil {
		open = "; its front matter has no end and counts as text"
	}
	m := splitMapping(parts.front)
	got := f.read(&m)
	switch got.activation {
	case Always:
		e.add(file, true, "always%s%s", f.blame(&m), open)
	case Glob:
		if glob := f.Dialect.MatchAny(got.globs, target); glob != "" {
			e.add(file, true, "%s matches", glob)
		} else {
			e.add(file, false, "no glob matches: %s%s", strings.Join(got.globs, ", "), f.blame(&m))
		}
	case Auto:
		e.add(file, false, "the model may choose it by its description%s", f.blame(&m))
	default:
		e.add(file, false, "a person has to name it%s%s", f.blame(&m), open)
	}
}

// blame names keys that do nothing in a folder.
func (f *Folder) blame(m *mapping) string {
	var wrong []string
	for _, key := range f.Wrong {
		if m.index(key) >= 0 {
			wrong = append(wrong, key)
		}
	}
	if len(wrong) == 0 {
		return ""
	}
	for _, field := range f.Fields {
		if field.Kind.isGlobs() {
			return "; " + strings.Join(wrong, " and ") + " does nothing here: the key is " + field.Key
		}
	}
	return "; " + strings.Join(wrong, " and ") + " does nothing here"
}

// dropCopies takes files with the content of an earlier one out, for a client that
// loads the same content once.
func (e *explainer) dropCopies() {
	if !e.client.DropsCopies {
		return
	}
	first := map[string]string{}
	for i := range e.verdicts {
		v := &e.verdicts[i]
		if !v.Loaded {
			continue
		}
		content := string(e.files.content[v.Path])
		if before, copied := first[content]; copied {
			v.Loaded, v.Reason = false, "the same content as "+before
			continue
		}
		first[content] = v.Path
	}
}

// cut applies the budgets of the client.
func (e *explainer) cut() {
	for _, b := range e.client.Budgets {
		used := 0
		for i := range e.verdicts {
			v := &e.verdicts[i]
			content := e.files.content[v.Path]
			size := b.Measure(content)
			own := slices.ContainsFunc(e.client.folders(), func(f *Folder) bool { _, _, ok := f.place(v.Path); return ok })
			switch {
			case !v.Loaded:
			case b.Of == FileBudget && own && size > b.Size:
				v.Reason += fmt.Sprintf("; %d of %d %s: %s", b.Size, size, b.Unit(), b.Effect)
			case b.Of == ChainBudget:
				overChain(v, b, content, b.Size-used)
				used += size
			}
		}
	}
}

// overChain notes the part of a file that is beyond the rest of a budget.
func overChain(v *Verdict, b Budget, content []byte, left int) {
	switch {
	case len(content) <= left:
	case left <= 0:
		v.Loaded, v.Reason = false, fmt.Sprintf("over budget: the files before it have the %d %s that are read", b.Size, b.Unit())
	default:
		v.Reason += fmt.Sprintf("; over budget: its first %d of %d %s are read", left, len(content), b.Unit())
		if cut, lost := Beyond(content, left); cut != "" || len(lost) > 0 {
			v.Reason += fmt.Sprintf(", without %s", strings.Trim(fmt.Sprint(append([]string{string(cut)}, texted(lost)...)), "[ ]"))
		}
	}
}

func texted[S ~string](names []S) []string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = string(name)
	}
	return all
}

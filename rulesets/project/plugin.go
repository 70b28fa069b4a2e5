package project

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/triptych-mcp/triptych/rulesets/editors"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A Plugin says what the documents of a plugin have beside its skills. Each may be empty.
type Plugin struct {
	Name        string `yaml:"name,omitempty"`    // without it, that of the folder
	Version     string `yaml:"version,omitempty"` // without it, 1.0.N, where N grows with each change
	Description string `yaml:"description,omitempty"`
	Author      string `yaml:"author,omitempty"`  // a name
	License     string `yaml:"license,omitempty"` // an identifier of SPDX
	// Server is the URL of the MCP server, or [NoServer]; without it, triptych is started.
	Server string `yaml:"server,omitempty"`
	Claude bool   `yaml:"claude,omitempty"` // with the documents that Claude Code reads
}

// NoServer is the server of a plugin that has skills only.
const NoServer = "none"

// pluginKeys are the keys of a [Plugin].
var pluginKeys = []keyForm{
	{"name", "a text"}, {"version", "a text"}, {"description", "a text"}, {"author", "a text"}, {"license", "a text"},
	{"server", "a URL, or " + NoServer}, {"claude", "true or false"},
}

// Identifiers of the documents of Agent Plugins 1.0.0.
const (
	pluginSchema = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
	serverSchema = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json"
)

// The documents of a plugin.
const (
	pluginFile       = "plugin.json"
	pluginServerFile = "mcp.json"
	claudePluginFile = ".claude-plugin/plugin.json"
	claudeServerFile = ".mcp.json"
)

// inPlugin reports whether a path is that of a plugin's folder of skills, or below it.
func inPlugin(path string) bool { return strings.HasPrefix(path+"/", editors.PluginSkills+"/") }

// isOfPlugin reports whether an entry of the lock is a file of a plugin.
func (e Entry) isOfPlugin() bool {
	if slices.Contains([]string{pluginFile, pluginServerFile, claudePluginFile, claudeServerFile}, e.Path) {
		return true
	}
	if e.Shared || len(e.Parts) != 1 {
		return false
	}
	_, ok := editors.PluginFile(e.Path, e.Parts[0].Name)
	return ok
}

// pluginName is the form of a plugin's name, without the rule against repeated marks.
var pluginName = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]{0,62}[a-z0-9])?$`)

// check reports a name or a server that a plugin must not have.
func (s Plugin) check() error {
	if s.Name != "" && (!pluginName.MatchString(s.Name) || strings.Contains(s.Name, "--") || strings.Contains(s.Name, "..")) {
		return fmt.Errorf("%q is no name of a plugin: it has at most 64 lowercase letters, digits, dots and hyphens", s.Name)
	}
	if s.Server == "" || s.Server == NoServer {
		return nil
	}
	u, err := url.Parse(s.Server)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return errors.New("the server of a plugin is no URL such as https://rules.example.com/mcp")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("the server of a plugin has more than an address: a plugin must not have a key in it")
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return errors.New("the server of a plugin needs https, unless it is on the same machine")
	}
	return nil
}

// isLoopback reports whether a host is this machine by its name or address.
func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// A manifest is a plugin.json, in both forms.
type manifest struct {
	Schema      string  `json:"$schema,omitempty"`
	Name        string  `json:"name"`
	Version     string  `json:"version"`
	Description string  `json:"description,omitempty"`
	Author      *author `json:"author,omitempty"`
	License     string  `json:"license,omitempty"`
}

type author struct {
	Name string `json:"name"`
}

// servers is an mcp.json, in both forms.
type servers struct {
	Schema  string                  `json:"$schema,omitempty"`
	Servers map[string]pluginServer `json:"mcpServers"`
}

type pluginServer struct {
	Type    string   `json:"type"`
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
	URL     string   `json:"url,omitempty"`
}

// addPlugin returns the files of the plugin, and adds notes to a plan. A narrowed plan leaves
// the documents as they are, and so does one without a skill.
func (p *Project) addPlugin(plan *Plan, rules []editors.Rule) ([]editors.File, error) {
	files, notes := editors.RenderPlugin(rules)
	plan.Notes = append(plan.Notes, notes...)
	switch {
	case len(files) == 0:
		plan.Warnings = append(plan.Warnings, "no ruleset can be a skill of the plugin")
		return nil, nil
	case p.narrowed():
		return files, nil
	}
	settings := p.Selection.Plugin
	last, written := p.writtenManifest()
	settings.Name = cmp.Or(settings.Name, last.Name)
	var err error
	if settings.Name == "" {
		settings.Name, err = p.folderName()
	}
	if err == nil && settings.Version == "" {
		settings.Version = versionOf(sumOfRevisions(files))
		if written {
			settings.Version, err = p.nextVersion(settings, last.Version, files)
		}
	}
	if err != nil {
		return nil, err
	}
	documents, err := settings.documents()
	return append(documents, files...), err
}

// nextVersion returns the version of a plugin whose last version was written: the same if
// nothing has changed, else a greater one.
func (p *Project) nextVersion(settings Plugin, last string, files []editors.File) (string, error) {
	patch := 0
	if _, err := fmt.Sscanf(last, "1.0.%d", &patch); err != nil {
		return settings.Version, nil //nolint:nilerr // it was given by a person
	}
	same := settings
	same.Version = last
	documents, err := same.documents()
	if err == nil && p.isWritten(append(documents, files...)) {
		return last, nil
	}
	return versionOf(max(sumOfRevisions(files), patch+1)), err
}

func versionOf(patch int) string { return fmt.Sprintf("1.0.%d", patch) }

// sumOfRevisions returns the sum of the revisions of the rulesets in files.
func sumOfRevisions(files []editors.File) (sum int) {
	for _, file := range files {
		if below, _ := editors.PluginFile(file.Path, file.Parts[0].Name); below == ruleset.MainFile {
			sum += file.Parts[0].Rev
		}
	}
	return sum
}

// writtenManifest returns the plugin.json that was written last; ok is false for one that was
// changed here.
func (p *Project) writtenManifest() (m manifest, ok bool) {
	data, exists, err := p.disk.read(pluginFile)
	if err != nil || !exists || json.Unmarshal(data, &m) != nil {
		return manifest{}, false
	}
	entry := p.Lock.byPath()[pluginFile]
	return m, Sum(data) == entry.Sum || Sum(data) == entry.Was
}

// isWritten reports whether the files of the plugin, all of them, were written last.
func (p *Project) isWritten(files []editors.File) bool {
	locked := p.Lock.byPath()
	for _, file := range files {
		entry := locked[file.Path]
		if entry.Sum != Sum(file.Content) || entry.Was != "" {
			return false
		}
		delete(locked, file.Path)
	}
	for _, rest := range locked {
		if rest.isOfPlugin() {
			return false
		}
	}
	return true
}

// folderName makes a plugin's name of that of the folder.
func (p *Project) folderName() (string, error) {
	dir, err := filepath.Abs(p.Dir)
	if err != nil {
		return "", err
	}
	s := Plugin{Name: strings.ReplaceAll(strings.ToLower(filepath.Base(dir)), "_", "-")}
	if err := s.check(); err != nil {
		return "", fmt.Errorf("%w; give it as name: below plugin: in %s", err, SelectionFile)
	}
	return s.Name, nil
}

// documents returns the documents of a plugin.
func (s Plugin) documents() (files []editors.File, err error) {
	add := func(path string, document any) {
		text, failed := json.MarshalIndent(document, "", "  ")
		err = errors.Join(err, failed)
		files = append(files, editors.File{Path: path, Content: append(text, '\n'), Reaches: []string{editors.PluginTarget}})
	}
	m := manifest{Schema: pluginSchema, Name: s.Name, Version: s.Version, Description: s.Description, License: s.License}
	if s.Author != "" {
		m.Author = &author{s.Author}
	}
	add(pluginFile, m)
	if s.Claude {
		m.Schema = ""
		add(claudePluginFile, m)
	}
	if s.Server == NoServer {
		return files, err
	}
	server := pluginServer{Type: "stdio", Command: "triptych", Args: []string{"stdio", "--families", "rulesets"}}
	if s.Server != "" {
		server = pluginServer{Type: "streamable-http", URL: s.Server}
	}
	add(pluginServerFile, servers{serverSchema, map[string]pluginServer{"triptych": server}})
	if s.Claude {
		if server.Type == "streamable-http" {
			server.Type = "http" // as Claude Code has it
		}
		add(claudeServerFile, servers{"", map[string]pluginServer{"triptych": server}})
	}
	return files, err
}

// SetPlugin makes a plugin the only target of the project. change gets its settings. Patterns,
// if there are any, select its rulesets. The selection file is written if that changes it, and
// keeps its other keys and its comments.
func (p *Project) SetPlugin(change func(*Plugin), patterns []string) error {
	s := p.saved
	s.Targets = []string{editors.PluginTarget}
	change(&s.Plugin)
	if len(patterns) > 0 {
		s.Select = patterns
	}
	if err := s.Check(); err != nil {
		return err
	}
	p.Selection = s
	if !p.HasFile {
		return p.WriteSelection()
	}
	before, err := p.saved.Text()
	if err != nil {
		return err
	}
	if after, err := s.Text(); err != nil || bytes.Equal(before, after) {
		return err
	}
	text, err := p.mergedSelection(s)
	if err != nil {
		return err
	}
	p.saved = s
	return p.disk.write(SelectionFile, text)
}

// mergedSelection returns the selection file with the values of a selection, and its comments.
func (p *Project) mergedSelection(s Selection) ([]byte, error) {
	data, _, err := p.disk.read(SelectionFile)
	if err != nil {
		return nil, err
	}
	var old, fresh yaml.Node
	if err := errors.Join(yaml.Unmarshal(data, &old), fresh.Encode(s)); err != nil {
		return nil, err
	}
	if len(old.Content) == 0 {
		return s.Text()
	}
	root := old.Content[0]
	for i := 0; i+1 < len(fresh.Content); i += 2 {
		set(root, fresh.Content[i], fresh.Content[i+1])
	}
	return yaml.Marshal(&old)
}

// set gives a key of a mapping a value.
func set(mapping, key, value *yaml.Node) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if old := mapping.Content[i+1]; mapping.Content[i].Value == key.Value {
			value.HeadComment, value.LineComment, value.FootComment = old.HeadComment, old.LineComment, old.FootComment
			mapping.Content[i+1] = value
			return
		}
	}
	mapping.Content = append(mapping.Content, key, value)
}

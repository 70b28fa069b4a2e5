package registry

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

// maxFile bounds the size of a file, in bytes.
const maxFile = 8 << 20

// An entry is one version of a server, as the API shows it.
type entry struct {
	Server json.RawMessage `json:"server"`
	Meta   meta            `json:"_meta"`

	name, version string
}

// meta has what the registry says of an entry.
type meta struct {
	Official official `json:"io.modelcontextprotocol.registry/official"`
}

type official struct {
	Status          string    `json:"status"`
	StatusMessage   string    `json:"statusMessage,omitempty"`
	StatusChangedAt time.Time `json:"statusChangedAt,omitzero"`
	PublishedAt     time.Time `json:"publishedAt,omitzero"`
	UpdatedAt       time.Time `json:"updatedAt,omitzero"`
	IsLatest        bool      `json:"isLatest"`
}

// deleted is the status of a version that is listed only to those who ask for it.
const deleted = "deleted"

var (
	nameForm = regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`)
	// a range of versions, or a placeholder in one
	rangeForm = regexp.MustCompile(`^[\^~<>=]|[*|]|\.x\b|^latest$`)
)

// readFile reads the servers of a file. Its last change stands for times that it does not name.
func readFile(in io.Reader, changed time.Time) ([]entry, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxFile:
		return nil, fmt.Errorf("it has more than %d MiB", maxFile>>20)
	}
	servers, err := split(text)
	if err != nil {
		return nil, err
	}
	all := make([]entry, 0, len(servers))
	for i, text := range servers {
		e, err := parse(text, changed)
		if err != nil {
			return nil, fmt.Errorf("server %d: %w", i+1, err)
		}
		all = append(all, e)
	}
	return all, order(all)
}

// split returns the servers of a file.
func split(text []byte) (servers []json.RawMessage, err error) {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		return servers, json.Unmarshal(text, &servers)
	}
	var list struct {
		Servers *[]json.RawMessage `json:"servers"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	if list.Servers == nil {
		return nil, errors.New(`it is neither an array of servers nor an object with the member "servers"`)
	}
	return *list.Servers, nil
}

// parse reads a server.json, or one with the registry's _meta beside it.
func parse(text json.RawMessage, changed time.Time) (entry, error) {
	e := entry{Server: text}
	var wrapped struct {
		Server json.RawMessage `json:"server"`
		Meta   meta            `json:"_meta"`
	}
	if err := json.Unmarshal(text, &wrapped); err != nil {
		return e, err
	}
	if wrapped.Server != nil {
		e.Server, e.Meta = wrapped.Server, wrapped.Meta
	}
	var server struct {
		Name        string            `json:"name"`
		Version     string            `json:"version"`
		Description string            `json:"description"`
		Packages    []json.RawMessage `json:"packages"`
		Remotes     []json.RawMessage `json:"remotes"`
	}
	if err := json.Unmarshal(e.Server, &server); err != nil {
		return e, err
	}
	e.name, e.version = server.Name, server.Version
	o := &e.Meta.Official
	o.Status = cmp.Or(o.Status, "active")
	o.PublishedAt = cmp.Or(o.PublishedAt, changed.UTC())
	o.UpdatedAt = cmp.Or(o.UpdatedAt, o.PublishedAt)
	switch {
	case !nameForm.MatchString(e.name) || len(e.name) > 200:
		return e, fmt.Errorf("its name is %q; a name is like io.github.owner/server", e.name)
	case e.version == "" || len(e.version) > 255 || rangeForm.MatchString(e.version):
		return e, fmt.Errorf("%s has the version %q; a version is one, like 1.2.3, not a range", e.name, e.version)
	case server.Description == "":
		return e, fmt.Errorf("%s has no description", e.name)
	case len(server.Packages)+len(server.Remotes) == 0:
		return e, fmt.Errorf("%s has neither packages nor remotes, so nothing can start or reach it", e.name)
	case !slices.Contains([]string{"active", "deprecated", deleted}, o.Status):
		return e, fmt.Errorf("%s has the status %q; it is active, deprecated or deleted", e.name, o.Status)
	}
	return e, nil
}

// order sorts the versions of servers by name, the latest one first, and marks that.
func order(all []entry) error {
	slices.SortStableFunc(all, func(a, b entry) int {
		return cmp.Or(strings.Compare(a.name, b.name), byVersion(&b, &a))
	})
	for i := range all {
		if i > 0 && all[i].name == all[i-1].name && all[i].version == all[i-1].version {
			return fmt.Errorf("%s %s is there twice", all[i].name, all[i].version)
		}
	}
	mark := ""
	for i := range all {
		o := &all[i].Meta.Official
		o.IsLatest = all[i].name != mark && o.Status != deleted
		if o.IsLatest {
			mark = all[i].name
		}
	}
	return nil
}

// byVersion compares two versions. Those that are not semantic are before all others, in the order
// of their times.
func byVersion(a, b *entry) int {
	return cmp.Or(semver.Compare("v"+a.version, "v"+b.version),
		a.Meta.Official.PublishedAt.Compare(b.Meta.Official.PublishedAt), strings.Compare(a.version, b.version))
}

package registry

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/mcp/filestamp"
)

const (
	// Path is the path of the list of servers. Those of a server are below it.
	Path = "/v0.1/servers"

	usualPage, maxPage = 30, 100 // entries, as the public registry has them
)

// A Registry answers requests from a file of servers.
type Registry struct {
	file string
	own  func(*http.Request) ([]byte, error)
	log  *slog.Logger

	mu      sync.Mutex
	entries []entry
	read    filestamp.Stamp // of the file when it was read; zero while the file is gone
}

// Open reads a file of servers. own returns the server.json of the server that answers, which
// is listed unless the file has one of its name.
func Open(file string, own func(*http.Request) ([]byte, error), log *slog.Logger) (*Registry, error) {
	r := &Registry{file: file, own: own, log: log}
	stamp, err := filestamp.Stat(file)
	if err != nil {
		return nil, err
	}
	return r, r.load(stamp)
}

// load reads the file.
func (r *Registry) load(stamp filestamp.Stamp) error {
	r.read = stamp
	in, err := os.Open(r.file)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // it was only read
	all, err := readFile(in, stamp.Modified())
	if err != nil {
		return fmt.Errorf("%s: %w", r.file, err)
	}
	r.entries = all
	return nil
}

// now returns the entries of the file as it is now, and that of the server that answers.
func (r *Registry) now(request *http.Request) ([]entry, error) {
	r.mu.Lock()
	if stamp, err := filestamp.Stat(r.file); err != nil {
		r.logOnce(err)
	} else if stamp != r.read {
		if err := r.load(stamp); err != nil {
			r.log.Error("the registry's file cannot be read; its servers stay as they were", "err", err)
		}
	}
	all, changed := r.entries, time.Time{}
	if r.read != (filestamp.Stamp{}) {
		changed = r.read.Modified()
	}
	r.mu.Unlock()
	text, err := r.own(request)
	if err != nil {
		return nil, err
	}
	own, err := parse(text, changed)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(all, func(e entry) bool { return e.name == own.name }) {
		return all, nil
	}
	all = append(slices.Clone(all), own)
	return all, order(all)
}

// logOnce logs that the file is not there, until it is again.
func (r *Registry) logOnce(err error) {
	if r.read != (filestamp.Stamp{}) {
		r.log.Error("the registry's file is gone; its servers stay as they were", "err", err)
	}
	r.read = filestamp.Stamp{}
}

// Answer returns the status and the JSON text of the answer to a GET of [Path] or of a path below it.
func (r *Registry) Answer(request *http.Request) (status int, body []byte, err error) {
	all, err := r.now(request)
	if err != nil {
		return 0, nil, err
	}
	var answer any
	query := request.URL.Query()
	rest, below := strings.CutPrefix(request.URL.EscapedPath(), Path+"/")
	if below {
		answer, err = one(all, rest, query)
	} else {
		answer, err = list(all, query)
	}
	status = http.StatusOK
	if refused, ok := err.(*refusal); ok { //nolint:errorlint // made above, and wrapped nowhere
		status, answer, err = refused.status, map[string]string{"error": refused.reason}, nil
	}
	if err != nil {
		return 0, nil, err
	}
	body, err = json.Marshal(answer)
	return status, body, err
}

// A refusal is an error of the client.
type refusal struct {
	status int
	reason string
}

func (r *refusal) Error() string { return r.reason }

func badRequest(format string, args ...any) error {
	return &refusal{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

// A page is the answer to a request for several entries.
type page struct {
	Servers  []entry  `json:"servers"`
	Metadata metadata `json:"metadata"`
}

type metadata struct {
	Next  string `json:"nextCursor,omitempty"`
	Count int    `json:"count"`
}

// list returns a page of the entries that a query asks for.
func list(all []entry, query url.Values) (*page, error) {
	limit := usualPage
	if text := query.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxPage {
			return nil, badRequest("limit is %q; it is a number from 1 to %d", text, maxPage)
		}
		limit = n
	}
	var since time.Time
	if text := query.Get("updated_since"); text != "" {
		var err error
		if since, err = time.Parse(time.RFC3339, text); err != nil {
			return nil, badRequest("updated_since is %q; it is a time like 2026-01-31T12:00:00Z", text)
		}
	}
	chosen := choose(all, query, since)
	if cursor := query.Get("cursor"); cursor != "" {
		at := slices.IndexFunc(chosen, func(e entry) bool { return e.name+":"+e.version == cursor })
		if at < 0 {
			return nil, badRequest("the cursor is none of this list, or the list has changed; begin without one")
		}
		chosen = chosen[at+1:]
	}
	p := &page{Servers: chosen}
	if len(chosen) > limit {
		last := chosen[limit-1]
		p.Servers, p.Metadata.Next = chosen[:limit], last.name+":"+last.version
	}
	p.Metadata.Count = len(p.Servers)
	return p, nil
}

// choose returns the entries that a query asks for, in their order.
func choose(all []entry, query url.Values, since time.Time) []entry {
	search, version := strings.ToLower(query.Get("search")), query.Get("version")
	gone := query.Get("include_deleted") == "true" || !since.IsZero()
	chosen := []entry{}
	for _, e := range all {
		o := &e.Meta.Official
		switch {
		case o.Status == deleted && !gone:
		case !strings.Contains(strings.ToLower(e.name), search):
		case version == "latest" && !o.IsLatest, version != "" && version != "latest" && version != e.version:
		case o.UpdatedAt.Before(since):
		default:
			chosen = append(chosen, e)
		}
	}
	return chosen
}

// one returns what the rest of a path asks for: NAME/versions or NAME/versions/VERSION. The
// slash in a name may be escaped or not.
func one(all []entry, rest string, query url.Values) (any, error) {
	name, found := strings.CutSuffix(rest, "/versions")
	version := ""
	if i := strings.LastIndex(rest, "/versions/"); !found && i >= 0 {
		name, version, found = rest[:i], rest[i+len("/versions/"):], true
	}
	name, err := url.PathUnescape(name)
	version, wrong := url.PathUnescape(version)
	if !found || err != nil || wrong != nil {
		return nil, &refusal{http.StatusNotFound, "there is " + Path + "/NAME/versions and " + Path + "/NAME/versions/VERSION, with NAME escaped"}
	}
	versions := choose(all, url.Values{"include_deleted": query["include_deleted"]}, time.Time{})
	versions = slices.DeleteFunc(versions, func(e entry) bool { return e.name != name })
	if len(versions) == 0 {
		return nil, &refusal{http.StatusNotFound, "Server not found"}
	}
	if version == "" {
		return &page{Servers: versions, Metadata: metadata{Count: len(versions)}}, nil
	}
	for _, e := range versions {
		if version == e.version || version == "latest" && e.Meta.Official.IsLatest {
			return e, nil
		}
	}
	return nil, &refusal{http.StatusNotFound, "Server version not found"}
}

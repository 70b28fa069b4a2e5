package rulesetscmd

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/buildinfo"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/rulesclient"
	"github.com/triptych-mcp/triptych/rulesets/editors"
	"github.com/triptych-mcp/triptych/rulesets/project"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// openSource returns the rulesets of the server or of the store that the flags and
// the environment name.
func (b books) openSource(ctx context.Context) (source project.Source, done func() error, err error) {
	if b.app.Flags.Remote.URL != "" && b.app.Flags.Store != "" {
		return nil, nil, cmderr.UsageErrorf("give --url or --store, not both")
	}
	if b.app.Flags.Store == "" { // which is more particular than TRIPTYCH_URL
		r, err := b.app.DialRemote()
		if err != nil {
			return nil, nil, err
		}
		if r != nil {
			server := sha256.Sum256([]byte(r.URL + "\x00" + r.Key))
			client := rulesclient.New(r.Endpoint, buildinfo.Read().Version)
			return &serverSource{client: client, cache: b.cacheDir(), server: hex.EncodeToString(server[:8])}, func() error { return nil }, nil
		}
	}
	store, err := b.app.OpenStore(ctx)
	if err != nil {
		return nil, nil, err
	}
	return project.FromStore(store, byCommand("")), store.Close, nil
}

// cacheDir returns the folder for copies of a server's rulesets, "" if there is none.
func (b books) cacheDir() string {
	if dir := b.app.Getenv("XDG_CACHE_HOME"); dir != "" {
		return filepath.Join(dir, "triptych")
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "triptych")
}

// A serverSource has the rulesets of a server. It stores the revisions that it reads,
// so that a project can be pulled again without the server.
type serverSource struct {
	client *rulesclient.Client
	cache  string
	server string               // the folder of the server in the cache
	newest rulesclient.Snapshot // that List has read, empty if the server has none
}

func (s *serverSource) List(ctx context.Context) ([]ruleset.Meta, error) {
	var err error
	if s.newest, err = s.snapshot(ctx, ""); errors.Is(err, rulesclient.ErrNoSnapshot) {
		metas, err := s.client.List(ctx)
		return metas, app.WithReachHint(err)
	}
	metas := make([]ruleset.Meta, len(s.newest.Rulesets))
	for i, r := range s.newest.Rulesets {
		metas[i] = r.Meta
	}
	return metas, app.WithReachHint(err)
}

// snapshot returns all rulesets at a label.
func (s *serverSource) snapshot(ctx context.Context, label ruleset.Label) (rulesclient.Snapshot, error) {
	file := ""
	if s.cache != "" {
		file = filepath.Join(s.cache, "snapshots", s.server, "all@"+string(label)+".json")
	}
	return s.client.Snapshot(ctx, label, file)
}

// pick returns the rulesets of a list, in its order.
func pick(snapshot rulesclient.Snapshot, metas []ruleset.Meta) (all []ruleset.Ruleset, unlabelled []ruleset.Name) {
	byName := make(map[ruleset.Name]ruleset.Ruleset, len(snapshot.Rulesets))
	for _, r := range snapshot.Rulesets {
		byName[r.Name] = r
	}
	for _, m := range metas {
		if r, ok := byName[m.Name]; ok {
			all = append(all, r)
		} else if slices.Contains(snapshot.Unlabelled, m.Name) {
			unlabelled = append(unlabelled, m.Name)
		}
	}
	return all, unlabelled
}

func (s *serverSource) GetAll(ctx context.Context, metas []ruleset.Meta, label ruleset.Label) (all []ruleset.Ruleset, unlabelled []ruleset.Name, err error) {
	snapshot := s.newest
	if label != "" {
		snapshot, err = s.snapshot(ctx, label)
	}
	switch {
	case err == nil && len(snapshot.Rulesets)+len(snapshot.Unlabelled) > 0:
		all, unlabelled = pick(snapshot, metas)
		return all, unlabelled, s.store(all)
	case err != nil && !errors.Is(err, rulesclient.ErrNoSnapshot):
		return nil, nil, app.WithReachHint(err)
	}
	if label == "" {
		var cache rulesclient.Cache
		if s.cache != "" {
			cache = rulesclient.Cache(filepath.Join(s.cache, "newest"))
		}
		if all, err = s.client.GetAll(ctx, metas, cache); err != nil {
			return nil, nil, app.WithReachHint(err)
		}
		return all, nil, s.store(all)
	}
	found := make([]ruleset.Ruleset, len(metas))
	errs := make([]error, len(metas))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(maxReads)
	for i, m := range metas {
		group.Go(func() error {
			found[i], errs[i] = s.client.GetLabelled(groupCtx, m.Name, label)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, nil, err
	}
	for i, err := range errs {
		_, gone := errors.AsType[*ruleset.NotFoundError](err)
		switch {
		case gone:
		case isUnlabelled(err, metas[i].Name, label):
			unlabelled = append(unlabelled, metas[i].Name)
		case err != nil:
			return nil, nil, app.WithReachHint(err)
		default:
			all = append(all, found[i])
		}
	}
	return all, unlabelled, s.store(all)
}

// maxReads is the number of rulesets that are read from a server at a time.
const maxReads = 8

// isUnlabelled reports whether an answer says that a ruleset does not have a label.
func isUnlabelled(err error, name ruleset.Name, label ruleset.Label) bool {
	failure, ok := errors.AsType[*rulesclient.ToolError](err)
	return ok && strings.HasSuffix(failure.Text, (&ruleset.NoLabelError{Name: name, Label: label}).Error())
}

// Get reads a revision from the cache first: revisions never change.
func (s *serverSource) Get(ctx context.Context, name ruleset.Name, at string) (r ruleset.Ruleset, err error) {
	rev, notNumber := strconv.Atoi(at)
	switch {
	case at == "":
		r, err = s.client.Get(ctx, name)
	case notNumber != nil:
		r, err = s.client.GetLabelled(ctx, name, ruleset.Label(at))
	default:
		if text, readErr := os.ReadFile(s.file(name, rev)); readErr == nil && json.Unmarshal(text, &r) == nil && r.Name == name && r.Rev == rev {
			return r, nil
		}
		r, err = s.client.GetRevision(ctx, name, rev)
	}
	if err != nil {
		return r, app.WithReachHint(err)
	}
	return r, s.store([]ruleset.Ruleset{r})
}

// file returns the place of a revision in the cache.
func (s *serverSource) file(name ruleset.Name, rev int) string {
	return filepath.Join(s.cache, "revisions", s.server, fmt.Sprintf("%s@%d.json", name, rev))
}

// store adds revisions to the cache.
func (s *serverSource) store(all []ruleset.Ruleset) error {
	if s.cache == "" {
		return nil
	}
	for _, r := range all {
		file := s.file(r.Name, r.Rev)
		if app.FileExists(file) {
			continue
		}
		text, err := json.Marshal(r)
		if err != nil {
			return err
		}
		if err := s.cached(file, text); err != nil {
			return err
		}
	}
	return nil
}

// Files returns the files of a skill. They are read once for each hash. Off line, the
// cache has the ones that were read last.
func (s *serverSource) Files(ctx context.Context, name ruleset.Name) (all []editors.Attachment, err error) {
	files, err := s.files(ctx, name)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		place := filepath.Join(s.cache, "files", hex.EncodeToString(f.SHA256[:]))
		data, readErr := os.ReadFile(place)
		if s.cache == "" || readErr != nil || sha256.Sum256(data) != f.SHA256 {
			if data, err = s.client.ReadFile(ctx, name, f); err == nil {
				err = s.cached(place, data)
			}
		}
		if err != nil {
			return nil, app.WithReachHint(err)
		}
		all = append(all, editors.Attachment{Path: f.Path, Data: data})
	}
	return all, nil
}

// files returns the list of a skill's files, from the cache if the server cannot be
// reached.
func (s *serverSource) files(ctx context.Context, name ruleset.Name) ([]ruleset.File, error) {
	place := filepath.Join(s.cache, "files", s.server, string(name)+".json")
	files, err := s.client.Files(ctx, name)
	err = app.WithReachHint(err)
	if err != nil {
		text, readErr := os.ReadFile(place)
		if s.cache != "" && readErr == nil && json.Unmarshal(text, &files) == nil {
			return files, nil
		}
		return nil, err
	}
	text, err := json.Marshal(files)
	if err != nil {
		return nil, err
	}
	return files, s.cached(place, text)
}

// cached writes a file of the cache, if there is one.
func (s *serverSource) cached(file string, data []byte) error {
	if s.cache == "" {
		return nil
	}
	return rulesclient.WriteCopy(file, data)
}

func (s *serverSource) ChangeFile(ctx context.Context, name ruleset.Name, file editors.Attachment) error {
	return app.WithReachHint(s.client.ChangeFile(ctx, name, file.Path, file.Data))
}

func (s *serverSource) Update(ctx context.Context, fresh ruleset.Ruleset, ifRev int, message string) (ruleset.Ruleset, error) {
	rev, err := s.client.Update(ctx, fresh.Name, ruleset.Patch{
		Description: &fresh.Description, Markdown: &fresh.Markdown, Extra: &fresh.Extra, IfRev: ifRev, By: byCommand(message),
	})
	fresh.Rev = rev
	return fresh, app.WithReachHint(err)
}

func (s *serverSource) Create(ctx context.Context, fresh ruleset.Ruleset, message string) (ruleset.Ruleset, error) {
	rev, err := s.client.Create(ctx, ruleset.Draft{
		Name: fresh.Name, Description: fresh.Description, Tags: fresh.Tags, Markdown: fresh.Markdown, Extra: fresh.Extra, By: byCommand(message),
	})
	fresh.Rev = rev
	return fresh, app.WithReachHint(err)
}

// listing returns a text that differs when a ruleset has changed.
func (s *serverSource) listing(ctx context.Context) (string, error) {
	snapshot, err := s.snapshot(ctx, "")
	if !errors.Is(err, rulesclient.ErrNoSnapshot) {
		return fmt.Sprint(snapshot), err
	}
	metas, err := s.client.List(ctx)
	return fmt.Sprint(metas), err
}

// pollEvery is the time between two looks at a server's list.
const pollEvery = 3 * time.Second

// labelPolls is the number of lists after which changed is called in any case: lists
// do not show where labels are.
const labelPolls = 10

// Watch asks for the list again and again. A server that cannot be reached is asked
// later.
func (s *serverSource) Watch(ctx context.Context, changed func()) error {
	last := ""
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for polls := 1; ; polls++ {
		if now, err := s.listing(ctx); err == nil {
			if last != "" && now != last || polls%labelPolls == 0 {
				changed()
			}
			last = now
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

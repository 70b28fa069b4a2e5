package backup_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/backup"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/rulesets/consumers"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/transport/audit"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

var (
	quiet = slog.New(slog.DiscardHandler)
	noon  = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
)

func clock() time.Time { return noon }

// A place is a data folder, and a server if url is set.
type place struct {
	data, url string
	client    redis.UniversalClient
}

func folder(t *testing.T) place { return place{data: t.TempDir()} }

// server returns an empty server with a data folder; the signing key is that of a folder
// that shares it.
func server(t *testing.T, data string) place {
	t.Helper()
	addr := valkeytest.Start(t).Addr
	return place{data: data, url: "redis://" + addr + "/0", client: valkeytest.Client(t, "redis://"+addr+"/0")}
}

// open opens the stores of a place.
func (p place) open(t *testing.T, withFolder bool) backup.Target {
	t.Helper()
	env := host.Env{Logger: quiet, Now: clock, Data: p.data, Store: p.url, Getenv: func(string) string { return "" }}
	rules, err := rulesets.OpenStore(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rules.Close() }) // every answer has come
	book, err := rulesets.OpenBook(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = book.Close() }) // likewise
	to := backup.Target{Source: backup.Source{Rulesets: rules, Consumers: book, Program: "1", Now: noon}}
	if withFolder {
		to.Data = p.data
	}
	if p.client != nil {
		to.Keys = keys.OpenValkey(p.client, "", quiet, clock)
		to.Meter = quota.NewValkey(p.client, "")
		to.Counts = func(ctx context.Context) ([]quota.Count, error) { return quota.ReadValkey(ctx, p.client, "") }
		to.Trail = audit.NewValkey(audit.ValkeyConfig{Client: p.client, KeyDir: filepath.Join(p.data, "audit")})
	} else {
		store, err := keys.OpenFile(filepath.Join(p.data, "keys"), quiet, clock)
		if err != nil {
			t.Fatal(err)
		}
		meter, err := quota.OpenLocal(t.Context(), filepath.Join(p.data, "quota"), quiet)
		if err != nil {
			t.Fatal(err)
		}
		to.Keys, to.Meter, to.Trail = store, meter, audit.New(audit.Config{Dir: filepath.Join(p.data, "audit"), MaxFile: 2000})
		to.Counts = func(context.Context) ([]quota.Count, error) { return quota.ReadLocal(filepath.Join(p.data, "quota")) }
	}
	t.Cleanup(func() {
		for _, c := range []io.Closer{to.Meter, to.Keys} {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return to
}

// fill writes some of everything.
func fill(t *testing.T, to backup.Target) keys.Token {
	t.Helper()
	ctx := t.Context()
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	long := time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)
	must(ruleset.Create(ctx, to.Rulesets, ruleset.Draft{
		Name: "go_style", Description: "d", Tags: []string{"go"}, Markdown: "# Go\n\none\n", Extra: "globs: ['*.go']\n", CreatedAt: long, LastModified: long,
		By: ruleset.By{Author: "key_ann", Client: "cursor 1", Message: "first"},
	}))
	text := "# Go\n\ntwo\n"
	must(ruleset.Update(ctx, to.Rulesets, "go_style", ruleset.Patch{Markdown: &text, By: ruleset.By{Author: "key_bob", Message: "second"}}))
	must(ruleset.MoveLabel(ctx, to.Rulesets, "go_style", ruleset.LabelMove{Label: "production", To: 1, By: ruleset.By{Author: "key_ann"}}))
	must(ruleset.Create(ctx, to.Rulesets, ruleset.Draft{Name: "gone", Description: "d", Tags: []string{}, Markdown: "m\n"}))
	if err := ruleset.Delete(ctx, to.Rulesets, "gone", ruleset.Removal{By: ruleset.By{Author: "key_bob"}}); err != nil {
		t.Fatal(err)
	}
	must(to.Rulesets.Apply(ctx, []ruleset.Operation{ruleset.OpenProposal("one", ruleset.By{Author: "key_ann", Message: "why"})}, ruleset.ApplyOptions{}))
	must(to.Rulesets.Apply(ctx, []ruleset.Operation{ruleset.MoveProposal(1, ruleset.Refused, ruleset.By{Author: "key_bob"})}, ruleset.ApplyOptions{}))
	must(nil, to.Consumers.Report(ctx, consumers.Report{Project: "shop", Client: "cursor", Key: "key_ann", Rulesets: map[ruleset.Name]int{"go_style": 1}}))
	must(nil, to.Consumers.Report(ctx, consumers.Report{Client: "claude-code", Key: "key_bob", Label: "production", Rulesets: map[ruleset.Name]int{"go_style": 2}}))
	_, token, err := to.Keys.Create(ctx, keys.Live, keys.Settings{
		Name: "ann", Plan: quota.Team, Scopes: []host.Scope{"rulesets:read"}, Allow: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
	})
	must(nil, err)
	must(to.Meter.TakeAll(ctx, "key_ann", quota.Limits{Month: 1000}, 42, noon))
	for i := range 30 { // more than one file
		must(to.Trail.Append(audit.Record{Key: "key_ann", Method: "tools/call", Target: fmt.Sprint("tool", i), Outcome: audit.OK}))
	}
	if err := to.Trail.Close(); err != nil {
		t.Fatal(err)
	}
	return token
}

// state returns all that a place has as JSON, to compare.
func state(t *testing.T, p backup.Target) string {
	t.Helper()
	all := map[string]any{}
	for _, name := range []ruleset.Name{"go_style", "gone"} {
		history, err := p.Rulesets.History(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		moves, err := p.Rulesets.LabelMoves(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Rulesets.Get(t.Context(), name)
		if err != nil {
			r = ruleset.Ruleset{}
		}
		for i := range history {
			if history[i].Deleted {
				history[i].Content = ruleset.Ruleset{} // stores differ in what they fill in
			}
		}
		all[string(name)] = []any{history, append([]ruleset.LabelMove{}, moves...), r}
	}
	proposals, err := p.Rulesets.LabelMoves(t.Context(), ruleset.ProposalLog)
	if err != nil {
		t.Fatal(err)
	}
	all["proposals"] = ruleset.ProposalsOf(proposals)
	records, err := p.Keys.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all["keys"] = records
	if all["consumers"], err = p.Consumers.All(t.Context()); err != nil {
		t.Fatal(err)
	}
	usage, err := p.Meter.Peek(t.Context(), "key_ann", quota.Limits{Month: 1000}, noon)
	if err != nil {
		t.Fatal(err)
	}
	all["used"] = usage.Month.Used
	report, err := p.Trail.Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all["trail"] = []any{report.Records(), report.Hash(), report.Err()}
	text, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A restored store equals the original, from every store into every store: times, history,
// labels, keys that work, counts, and a trail that verifies with the same hash.
func TestRestore(t *testing.T) {
	for name, places := range map[string]func(*testing.T) (from, to place){
		"files to files": func(t *testing.T) (place, place) { return folder(t), folder(t) },
		"files to Valkey": func(t *testing.T) (place, place) {
			from := folder(t)
			return from, server(t, t.TempDir())
		},
		"Valkey to files":  func(t *testing.T) (place, place) { return server(t, t.TempDir()), folder(t) },
		"Valkey to Valkey": func(t *testing.T) (place, place) { return server(t, t.TempDir()), server(t, t.TempDir()) },
	} {
		t.Run(name, func(t *testing.T) {
			from, to := places(t)
			source := from.open(t, true)
			token := fill(t, source)
			if err := os.MkdirAll(filepath.Join(from.data, "aoc", "speeds"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(from.data, "aoc", "speeds", "day01.json"), []byte("{}\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			var file bytes.Buffer
			if _, err := backup.Write(t.Context(), &file, source.Source); err != nil {
				t.Fatal(err)
			}
			m, err := backup.Read(bytes.NewReader(file.Bytes()))
			if err != nil {
				t.Fatal(err)
			}
			target := to.open(t, true)
			if err := backup.Restore(t.Context(), bytes.NewReader(file.Bytes()), target, m); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(state(t, source), state(t, target)); diff != "" {
				t.Errorf("restored (-was +is):\n%s", diff)
			}
			if _, err := target.Keys.Find(t.Context(), token); err != nil {
				t.Errorf("the key: %v", err)
			}
			speeds, err := os.ReadFile(filepath.Join(to.data, "aoc", "speeds", "day01.json"))
			if err != nil || string(speeds) != "{}\n" {
				t.Errorf("speeds: %q %v", speeds, err)
			}
			goOn(t, target)
		})
	}
}

// goOn uses what was restored as a server would.
func goOn(t *testing.T, p backup.Target) {
	t.Helper()
	text := "three\n"
	if r, err := ruleset.Update(t.Context(), p.Rulesets, "go_style", ruleset.Patch{Markdown: &text, IfRev: 2}); err != nil || r.Rev != 3 {
		t.Errorf("the next revision: %d %v, want 3", r.Rev, err)
	}
	seq, err := p.Trail.Append(audit.Record{Key: "local", Method: "ping", Outcome: audit.OK})
	if err == nil {
		err = p.Trail.Commit(t.Context(), seq)
	}
	if err != nil {
		t.Errorf("the next record: %v", err)
	}
	report, err := p.Trail.Verify(t.Context())
	if err := errors.Join(err, report.Err()); err != nil || report.Records() != 31 {
		t.Errorf("the trail has %d records, want 31: %v", report.Records(), err)
	}
	if err := p.Trail.Close(); err != nil {
		t.Error(err)
	}
}

// A skill that is a folder is restored as one, into a server and out of it again too, and
// again where it is already. Its times are no part of it.
func TestRestoreFolders(t *testing.T) {
	from := folder(t)
	dir := filepath.Join(from.data, "rulesets", "pdf-processing")
	skill := "---\nname: pdf-processing\ndescription: Reads PDFs\nlicense: MIT\n---\n\n# PDF\n"
	err := os.MkdirAll(filepath.Join(dir, "scripts"), 0o755)
	err = errors.Join(err, os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte(skill), 0o644))
	err = errors.Join(err, os.WriteFile(filepath.Join(dir, "scripts", "read.py"), []byte("print()\n"), 0o644))
	err = errors.Join(err, os.Chtimes(filepath.Join(dir, "SKILL.md"), noon.AddDate(-1, 0, 0), noon.AddDate(-1, 0, 0)))
	if err != nil {
		t.Fatal(err)
	}
	last := folder(t)
	source := from.open(t, true)
	for _, to := range []place{server(t, t.TempDir()), last} {
		var file bytes.Buffer
		if _, err := backup.Write(t.Context(), &file, source.Source); err != nil {
			t.Fatal(err)
		}
		m, err := backup.Read(bytes.NewReader(file.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		source = to.open(t, true)
		for range 2 {
			if err := backup.Restore(t.Context(), bytes.NewReader(file.Bytes()), source, m); err != nil {
				t.Fatal(err)
			}
		}
	}
	for path, want := range map[string]string{"SKILL.md": skill, "scripts/read.py": "print()\n"} {
		got, err := os.ReadFile(filepath.Join(last.data, "rulesets", "pdf-processing", filepath.FromSlash(path)))
		if err != nil || string(got) != want {
			t.Errorf("%s is %q, want %q: %v", path, got, want, err)
		}
	}
}

// Nothing is restored over other data, and nothing changes where all is there as it was.
func TestRestoreOver(t *testing.T) {
	source := folder(t).open(t, true)
	fill(t, source)
	var file bytes.Buffer
	m, err := backup.Write(t.Context(), &file, source.Source)
	if err != nil {
		t.Fatal(err)
	}
	before := state(t, source)
	if err := backup.Restore(t.Context(), bytes.NewReader(file.Bytes()), source, m); err != nil {
		t.Errorf("over the same: %v", err)
	}
	if diff := cmp.Diff(before, state(t, source)); diff != "" {
		t.Errorf("changed (-was +is):\n%s", diff)
	}
	for name, change := range map[string]func(to backup.Target) error{
		"rulesets/go_style.json": func(to backup.Target) error {
			_, err := ruleset.Create(t.Context(), to.Rulesets, ruleset.Draft{Name: "go_style", Description: "d", Tags: []string{}, Markdown: "other\n"})
			return err
		},
		"keys.json": func(to backup.Target) error {
			_, _, err := to.Keys.Create(t.Context(), keys.Live, keys.Settings{Name: "other", Plan: quota.Team})
			return err
		},
		"counts.json": func(to backup.Target) error {
			_, err := to.Meter.TakeAll(t.Context(), "key_other", quota.Limits{Month: 1000}, 1, noon)
			return err
		},
	} {
		to := folder(t).open(t, true)
		if err := change(to); err != nil {
			t.Fatal(err)
		}
		err := backup.Restore(t.Context(), bytes.NewReader(file.Bytes()), to, m)
		if conflict, ok := errors.AsType[*backup.ConflictError](err); !ok || conflict.Entry != name {
			t.Errorf("over another %s: %v", name, err)
		}
	}
}

// A cut is a backup of which only so many bytes can be read.
type cut struct {
	io.ReadSeeker
	left int
}

func (c *cut) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, errors.New("cut off")
	}
	n, err := c.ReadSeeker.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

// A restore that was cut off anywhere can be repeated, with the same result.
func TestRestoreAgain(t *testing.T) {
	source := folder(t)
	from := source.open(t, true)
	fill(t, from)
	for name, text := range map[string]string{"aoc/speeds/day01.json": "{}\n", "aoc/speeds/day02.json": "{}\n", "tls/cert.pem": "c"} {
		path := filepath.Join(source.data, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 { // keys of which a part can be there
		if _, _, err := from.Keys.Create(t.Context(), keys.Live, keys.Settings{Name: "more", Plan: quota.Team}); err != nil {
			t.Fatal(err)
		}
	}
	var file bytes.Buffer
	m, err := backup.Write(t.Context(), &file, from.Source)
	if err != nil {
		t.Fatal(err)
	}
	want := state(t, from)
	for name, place := range map[string]func() place{
		"files":  func() place { return folder(t) },
		"Valkey": func() place { return server(t, t.TempDir()) },
	} {
		to := place()
		target := to.open(t, true)
		const cuts = 8
		for n := range cuts { // each attempt comes further
			err := backup.Restore(t.Context(), &cut{bytes.NewReader(file.Bytes()), 1 + n*file.Len()/cuts}, target, m)
			if err == nil || !strings.Contains(err.Error(), "cut off") {
				t.Fatalf("%s: attempt %d: %v, want that it is cut off", name, n, err)
			}
		}
		if _, err := target.Keys.(interface {
			Adopt(ctx context.Context, r keys.Record) (bool, error)
		}).Adopt(t.Context(), first(t, from)); err != nil { // a part of the keys
			t.Fatal(err)
		}
		if err := backup.Restore(t.Context(), bytes.NewReader(file.Bytes()), target, m); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, state(t, target)); diff != "" {
			t.Errorf("%s: restored (-was +is):\n%s", name, diff)
		}
		goOn(t, target)
	}
}

// first returns the first key of a place.
func first(t *testing.T, p backup.Target) keys.Record {
	t.Helper()
	all, err := p.Keys.List(t.Context())
	if err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	return all[0]
}

// A backup that is made of a trail in a store, while its server adds records and deletes old
// ones, has a whole trail.
func TestWhileRecordsAreDeleted(t *testing.T) {
	source := server(t, t.TempDir())
	log := audit.NewValkey(audit.ValkeyConfig{Client: source.client, KeyDir: filepath.Join(source.data, "audit"), Name: "one", KeepBytes: 40_000})
	from := source.open(t, true)
	ctx, stop := context.WithCancel(t.Context())
	var writing sync.WaitGroup
	added := make(chan struct{})
	enough := sync.OnceFunc(func() { close(added) })
	writing.Go(func() {
		defer enough() // also after a failure
		for n := 1; ctx.Err() == nil; n++ {
			seq, err := log.Append(audit.Record{Key: "key_ann", Target: fmt.Sprint(n)})
			if err == nil && n%20 == 0 {
				err = log.Commit(t.Context(), seq)
			}
			if err != nil {
				t.Error(err)
				return
			}
			if n == 1000 { // some are deleted
				enough()
			}
		}
	})
	<-added
	for range 5 {
		var file bytes.Buffer
		m, err := backup.Write(t.Context(), &file, from.Source)
		if err != nil {
			t.Fatal(err)
		}
		target := folder(t).open(t, true)
		if err := backup.Restore(t.Context(), bytes.NewReader(file.Bytes()), target, m); err != nil {
			t.Fatal(err)
		}
		r, err := target.Trail.Verify(t.Context())
		if err != nil || r.Err() != nil || len(r.Chains) != 1 || r.Chains[0].Retired == 0 {
			t.Errorf("%+v, %v, %v; want a whole chain of which records were deleted", r, r.Err(), err)
		}
	}
	stop()
	writing.Wait()
	if err := log.Close(); err != nil {
		t.Error(err)
	}
}

// A backup that is cut off, changed or of a later format is refused.
func TestDamaged(t *testing.T) {
	source := folder(t).open(t, true)
	fill(t, source)
	var file bytes.Buffer
	if _, err := backup.Write(t.Context(), &file, source.Source); err != nil {
		t.Fatal(err)
	}
	whole := file.Bytes()
	for _, n := range []int{0, 1, len(whole) / 2, len(whole) - 1} {
		if _, err := backup.Read(bytes.NewReader(whole[:n])); err == nil {
			t.Errorf("%d of %d bytes were taken for a backup", n, len(whole))
		}
	}
	for at := 20; at < len(whole); at += len(whole) / 50 {
		bad := bytes.Clone(whole)
		bad[at] ^= 1
		if _, err := backup.Read(bytes.NewReader(bad)); err == nil && !bytes.Equal(unpacked(t, bad), unpacked(t, whole)) {
			t.Errorf("a change of byte %d was not seen", at)
		}
	}
	later := backup.Repack(t, whole, func(m *backup.Manifest) { m.Format = backup.Format + 1 })
	if _, err := backup.Read(bytes.NewReader(later)); err == nil || !strings.Contains(err.Error(), "use a newer one") {
		t.Errorf("a later format: %v", err)
	}
	missing := backup.Repack(t, whole, func(m *backup.Manifest) { m.Entries = m.Entries[1:] })
	if _, err := backup.Read(bytes.NewReader(missing)); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("another manifest: %v", err)
	}
}

// unpacked returns the archive of a backup. Some bits of a compressed file mean nothing.
func unpacked(t *testing.T, file []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A backup that is made while rulesets change has each as it was at one time, and can be
// restored.
func TestWhileChanging(t *testing.T) {
	source := folder(t).open(t, true)
	fill(t, source)
	ctx, stop := context.WithCancel(t.Context())
	var writing sync.WaitGroup
	defer writing.Wait()
	defer stop()
	writing.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			text := fmt.Sprintf("text %d\n", i)
			if _, err := ruleset.Update(ctx, source.Rulesets, "go_style", ruleset.Patch{Markdown: &text}); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
			time.Sleep(time.Millisecond) // a fast editor,
			if i%20 == 19 {
				time.Sleep(300 * time.Millisecond) // who thinks at times
			}
		}
	})
	for range 5 {
		var file bytes.Buffer
		m, err := backup.Write(t.Context(), &file, source.Source)
		if err != nil {
			t.Fatal(err)
		}
		target := folder(t).open(t, true)
		if err := backup.Restore(t.Context(), bytes.NewReader(file.Bytes()), target, m); err != nil {
			t.Fatal(err)
		}
		history, err := target.Rulesets.History(t.Context(), "go_style")
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range history {
			if want := len(history) - i; r.Number != want {
				t.Fatalf("revision %d in place of %d", r.Number, want)
			}
		}
		r, err := target.Rulesets.Get(t.Context(), "go_style")
		if err != nil || r.Markdown != history[0].Content.Markdown || r.Rev != len(history) {
			t.Errorf("the ruleset is at %d %q, its history at %d %q: %v", r.Rev, r.Markdown, len(history), history[0].Content.Markdown, err)
		}
	}
}

// An entry that no backup has is refused before anything is written: such a name leads out of
// the data folder, or to a file that is not part of a backup.
func TestForeignEntries(t *testing.T) {
	for _, name := range []string{
		"data/../outside", "data//etc/passwd", "data/aoc/../../x", "../evil", "/abs/evil", "evil", "evil/a", "data/.ssh/authorized_keys", "data/evil",
		"data/rulesets/a.json", "data/keys/keys.json", "data/audit/evil", "data/aoc/.hidden/a", "data/aoc/lock", "data/aoc/personal/a/session",
		"data/tls/../../../x", "data\\..\\evil", "rulesets/../x.json", "rulesets/a/b.json", "rulesets/a", "skills/a", "audit/a", "audit/../a.head",
		"keys.json/a", "./keys.json", "data",
	} {
		target := folder(t).open(t, true)
		file := backup.Pack(t, backup.Format, map[string]string{name: "x", "data/aoc/2025/1/puzzle.json": "{}"})
		before := tree(t, target.Data)
		if _, err := backup.Read(bytes.NewReader(file)); err == nil {
			t.Errorf("%q: the backup is good", name)
		}
		if after := tree(t, target.Data); after != before {
			t.Errorf("%q: the folder has changed: %s", name, after)
		}
	}
}

// tree lists the files of a folder and their modes.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		all = append(all, strings.TrimPrefix(path, dir)+" "+info.Mode().String())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, "\n")
}

// Files are restored with modes of the program, whatever the archive says, and private folders
// with the .gitignore that they had.
func TestRestoredModes(t *testing.T) {
	want := map[string]fs.FileMode{
		"aoc/2025/1.json": 0o644, "aoc/personal/u/2025/1.txt": 0o600, "tls/key.pem": 0o600, "tls/acme/account": 0o600, "traces/a.trace": 0o600,
		"audit/signing.key": 0o600, "audit/signing.pub": 0o600,
	}
	entries := map[string]string{}
	for name := range want {
		entries["data/"+name] = "x"
	}
	file := backup.PackMode(t, entries, 0o777)
	m, err := backup.Read(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	target := backup.Target{Source: backup.Source{Data: t.TempDir(), Personal: true, Now: noon}}
	if err := backup.Restore(t.Context(), bytes.NewReader(file), target, m); err != nil {
		t.Fatal(err)
	}
	for name, mode := range want {
		info, err := os.Stat(filepath.Join(target.Data, filepath.FromSlash(name)))
		if err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v, want %v", name, info, err, mode)
		}
	}
	for folder, want := range map[string]bool{"tls": true, "audit": true, "aoc/personal/u": true, "aoc": false, "traces": false, "tls/acme": false, "aoc/personal": false} {
		text, err := os.ReadFile(filepath.Join(target.Data, filepath.FromSlash(folder), ".gitignore"))
		if (err == nil && string(text) == "*\n") != want {
			t.Errorf("git offers nothing of %s: %q, %v, want %v", folder, text, err, want)
		}
	}
}

// A backup is checked without its entries in the memory.
func TestLargeEntry(t *testing.T) {
	const size = 32 << 20
	file := backup.Pack(t, backup.Format, map[string]string{"audit/0123456789abcdef.jsonl": strings.Repeat("x", size)})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m, err := backup.Read(bytes.NewReader(file))
	runtime.ReadMemStats(&after)
	if err != nil || m.Entries[0].Size != size {
		t.Fatalf("%+v: %v", m, err)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > size/4 {
		t.Errorf("checking %d bytes took %d bytes of memory", size, got)
	}
}

// A chain of which a part is deleted while it is read is read again, not without end.
func TestChainChanges(t *testing.T) {
	for _, changes := range []int{0, 3, 1000} {
		reads := 0
		entries, err := backup.CopyTrail(t, func(context.Context) ([]audit.ChainCopy, error) {
			reads++
			whole := reads > changes
			return []audit.ChainCopy{{ID: "0a", Head: []byte("head"), Lines: func(yield func([]byte, error) bool) {
				if yield([]byte("line"), nil) && !whole {
					yield(nil, audit.ErrChanging)
				}
			}}}, nil
		})
		switch {
		case changes == 1000 && (!errors.Is(err, audit.ErrChanging) || len(entries) != 0):
			t.Errorf("always changing: %v, %v", entries, err)
		case changes < 1000 && (err != nil || len(entries) != 2 || entries[0].Size != int64(len("line\n")) || reads != changes+1):
			t.Errorf("%d changes: %v after %d reads, %v", changes, entries, reads, err)
		}
	}
}

package auditcmd

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/transport/audit"
)

// A trailOfFiles is a trail whose records tests add.
func trailOfFiles(t *testing.T) (dir string, add func(keys ...string)) {
	dir = filepath.Join(t.TempDir(), "audit")
	return dir, func(keys ...string) {
		t.Helper()
		l := audit.New(audit.Config{Dir: dir})
		for _, key := range keys {
			seq, err := l.Append(audit.Record{Key: key, Outcome: audit.OK})
			if err == nil {
				err = l.Commit(t.Context(), seq)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// toBucket exports what is new in a trail to the bucket of a fake.
func toBucket(t *testing.T, b *bucketFake, dir string, f s3Flags) (int, error) {
	t.Helper()
	if err := f.check(true); err != nil {
		t.Fatal(err)
	}
	to, err := openBucket(&f, b.getenv, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return (&exporter{to: to}).run(t.Context(), audit.New(audit.Config{Dir: dir}))
}

// Each record is in the bucket once, in objects that are locked as asked, and an export goes on
// behind the last object.
func TestExportToABucket(t *testing.T) {
	for _, lock := range []string{"compliance", "governance"} {
		t.Run(lock, func(t *testing.T) {
			b := newBucketFake(t)
			dir, add := trailOfFiles(t)
			f := s3Flags{url: "s3://" + bucketName + "/audit/one/", lock: lock, lockFor: "365d"}
			before := time.Now()
			for n, keys := range [][]string{{"a", "b"}, {}, {"c"}} {
				add(keys...)
				if got, err := toBucket(t, b, dir, f); err != nil || got != len(keys) {
					t.Fatalf("export %d: %d records, %v", n, got, err)
				}
			}
			names, all := b.names(), ""
			if len(names) != 2 || filepath.Base(names[0]) != "000000000001.jsonl" || filepath.Base(names[1]) != "000000000003.jsonl" {
				t.Errorf("the objects are %q", names)
			}
			for _, name := range names {
				o := b.objects[name]
				all += keysIn(t, o.body)
				until, err := time.Parse(time.RFC3339, o.header.Get("X-Amz-Object-Lock-Retain-Until-Date"))
				wait := until.Sub(before)
				if err != nil || o.header.Get("X-Amz-Object-Lock-Mode") != strings.ToUpper(lock) || wait < 365*24*time.Hour-time.Second || wait > 366*24*time.Hour {
					t.Errorf("%s has the lock %q", name, o.header)
				}
				if !strings.HasPrefix(name, "audit/one/") {
					t.Errorf("%s has another prefix", name)
				}
			}
			if all != "abc" {
				t.Errorf("records %q, want abc", all)
			}
		})
	}
}

// Without --lock-for, objects have no lock but that of the bucket.
func TestExportToABucketThatLocks(t *testing.T) {
	b := newBucketFake(t)
	dir, add := trailOfFiles(t)
	add("a")
	if n, err := toBucket(t, b, dir, s3Flags{url: "s3://" + bucketName, lock: "compliance"}); err != nil || n != 1 {
		t.Fatalf("%d records, %v", n, err)
	}
	for _, o := range b.objects {
		if o.header.Get("X-Amz-Object-Lock-Mode") != "" {
			t.Errorf("the lock %q", o.header)
		}
	}
}

// An object that another export has stored meanwhile is not replaced, and the export goes on
// behind it.
func TestExportBesideAnother(t *testing.T) {
	b := newBucketFake(t)
	dir, add := trailOfFiles(t)
	f := s3Flags{url: "s3://" + bucketName, lock: "compliance", lockFor: "1d"}
	to, err := openBucket(&f, b.getenv, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	slow, trail := &exporter{to: to}, audit.New(audit.Config{Dir: dir})
	if _, err := slow.run(t.Context(), trail); err != nil {
		t.Fatal(err)
	}
	add("a", "b")
	if _, err := toBucket(t, b, dir, f); err != nil {
		t.Fatal(err)
	}
	add("c")
	if _, err := slow.run(t.Context(), trail); err == nil || !strings.Contains(err.Error(), "another export") {
		t.Errorf("got %v, want an error that names another export", err)
	}
	if n, err := slow.run(t.Context(), trail); err != nil || n != 1 {
		t.Errorf("%d records, %v", n, err)
	}
	all := ""
	for _, name := range b.names() {
		all += keysIn(t, b.objects[name].body)
	}
	if all != "abc" {
		t.Errorf("records %q, want abc", all)
	}
}

// An object whose answer was lost is stored when the client repeats the request. Another object
// of its name is not taken for it.
func TestExportWhoseAnswerIsLost(t *testing.T) {
	for name, change := range map[string]func(o *object){
		"the same object": nil,
		"another size":    func(o *object) { o.body = append(o.body, '\n') },
		"another position": func(o *object) {
			o.header.Set("X-Amz-Meta-Position", strings.Replace(o.header.Get("X-Amz-Meta-Position"), "2", "3", 1))
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBucketFake(t)
			dir, add := trailOfFiles(t)
			add("a", "b")
			f := s3Flags{url: "s3://" + bucketName, lock: "compliance"}
			b.lost = 1
			if change != nil {
				b.lost = 0
				to, err := openBucket(&f, b.getenv, time.Now)
				if err != nil {
					t.Fatal(err)
				}
				late, trail := &exporter{to: to}, audit.New(audit.Config{Dir: dir})
				late.done = positions{} // as it was loaded before the other export
				if n, err := toBucket(t, b, dir, f); err != nil || n != 2 {
					t.Fatalf("%d records, %v", n, err)
				}
				for name, o := range b.objects {
					change(&o)
					b.objects[name] = o
				}
				if _, err := late.run(t.Context(), trail); err == nil || !strings.Contains(err.Error(), "another export") {
					t.Errorf("got %v, want an error that names another export", err)
				}
				return
			}
			if n, err := toBucket(t, b, dir, f); err != nil || n != 2 || b.lost != 0 {
				t.Errorf("%d records, %v, want 2", n, err)
			}
			if n, err := toBucket(t, b, dir, f); err != nil || n != 0 || len(b.names()) != 1 {
				t.Errorf("then: %d records, %v, want none", n, err)
			}
		})
	}
}

// The records of a chain that starts over are all exported, into a folder of their own.
func TestExportToABucketOfAChainThatBeginsAnew(t *testing.T) {
	b, e := newBucketFake(t), newExported(t)
	export := func() {
		to, err := openBucket(&s3Flags{url: "s3://" + bucketName, lock: "compliance"}, b.getenv, time.Now)
		if err == nil {
			_, err = (&exporter{to: to}).run(t.Context(), audit.NewValkey(e.cfg))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	e.add("a", 3)
	export()
	if err := e.cfg.Client.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"b", "c"} {
		e.add(key, 2)
		export()
		export()
	}
	var got []string
	for _, name := range b.names() {
		_, number, _ := strings.Cut(filepath.Dir(name), "-")
		got = append(got, number+"/"+filepath.Base(name)+" "+keysIn(t, b.objects[name].body))
	}
	if want := []string{"2/000000000001.jsonl bb", "2/000000000003.jsonl cc", "/000000000001.jsonl aaa"}; !slices.Equal(got, want) {
		t.Errorf("objects %q, want %q", got, want)
	}
}

// The last object is found among any, with few questions.
func TestLastObject(t *testing.T) {
	b := newBucketFake(t)
	to, err := openBucket(&s3Flags{url: "s3://" + bucketName, lock: "compliance"}, b.getenv, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if key, err := to.lastObject(t.Context(), "none/"); key != "" || err != nil {
		t.Errorf("without objects: %q, %v", key, err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 20 {
		dir, want := fmt.Sprintf("%d/", round), ""
		for range 1 + random.IntN(30) {
			name := dir + segmentName(1+random.Uint64N(1<<(1+random.IntN(36))))
			b.objects[name] = object{}
			want = max(want, name)
		}
		b.asked = 0
		got, err := to.lastObject(t.Context(), dir)
		if err != nil || got != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
		if b.asked > 80 {
			t.Errorf("%d questions", b.asked)
		}
	}
}

// What is wrong is said, without secrets.
func TestBucketErrors(t *testing.T) {
	b := newBucketFake(t)
	dir, add := trailOfFiles(t)
	add("a")
	with := func(name, value string) func(string) string {
		return func(asked string) string {
			if asked == name {
				return value
			}
			return b.getenv(asked)
		}
	}
	for name, tt := range map[string]struct {
		url    string
		getenv func(string) string
		want   string
	}{
		"no key":            {"s3://archive", with("AWS_ACCESS_KEY_ID", ""), "needs credentials"},
		"another secret":    {"s3://archive", with("AWS_SECRET_ACCESS_KEY", "hunter2hunter2"), "SignatureDoesNotMatch"},
		"no bucket":         {"s3://nothing", b.getenv, "NoSuchBucket"},
		"no certificates":   {"s3://archive", with("AWS_CA_BUNDLE", "/dev/null"), "has no certificates"},
		"no URL":            {"https://archive", b.getenv, "s3://BUCKET/PREFIX"},
		"a password in it":  {"s3://u:hunter2@archive", b.getenv, "s3://BUCKET/PREFIX"},
		"objects of others": {"s3://archive/mixed", b.getenv, "is not of an export"},
	} {
		b.objects["mixed/photos/cat.jpg"] = object{}
		to, err := openBucket(&s3Flags{url: tt.url, lock: "compliance"}, tt.getenv, time.Now)
		if err == nil {
			_, err = (&exporter{to: to}).run(t.Context(), audit.New(audit.Config{Dir: dir}))
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), secretKey) {
			t.Errorf("%s: got %v, want an error with %q", name, err, tt.want)
		}
	}
	if _, err := openBucket(&s3Flags{url: "s3://a", lock: "compliance"}, with("AWS_REGION", ""), time.Now); err != nil {
		t.Errorf("an endpoint without a region: %v", err)
	}
	if slices.ContainsFunc(b.names(), func(n string) bool { return !strings.HasPrefix(n, "mixed/") }) {
		t.Errorf("objects %q", b.names())
	}
}

// Flags that make no sense are refused before anything is asked.
func TestLockFlags(t *testing.T) {
	for _, f := range []s3Flags{{lock: "forever"}, {lock: "compliance", lockFor: "a year"}, {lock: "compliance", lockFor: "0d"}} {
		f.url = "s3://a"
		if err := f.check(true); err == nil {
			t.Errorf("%+v passes", f)
		}
	}
	if err := (&s3Flags{lock: "compliance", lockFor: "1d"}).check(false); err == nil {
		t.Error("--lock-for without --to-s3 passes")
	}
}

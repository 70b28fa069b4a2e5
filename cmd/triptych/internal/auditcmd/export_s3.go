package auditcmd

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/transport/audit"
)

// s3Flags are the flags of an export to a bucket.
type s3Flags struct {
	url     string
	lock    string
	lockFor string
}

func (f *s3Flags) register(set *pflag.FlagSet) {
	set.StringVar(&f.url, "to-s3", "", "export what is new into objects of the bucket at this `url`, such as s3://archive/audit\nIt is at AWS, or where AWS_ENDPOINT_URL says.")
	set.StringVar(&f.lock, "lock", "compliance", "with --lock-for, lock in this mode: `compliance|governance`\nSome users may lift governance.")
	set.StringVar(&f.lockFor, "lock-for", "", "with --to-s3, lock each object for this `time`, such as 365d\ndefault: what the bucket says")
}

// check returns an error for flags that do not go together.
func (f *s3Flags) check(used bool) error {
	if !used && f.lockFor != "" {
		return app.UsageErrorf("--lock-for needs --to-s3")
	}
	if _, err := f.mode(); err != nil {
		return err
	}
	_, err := f.span()
	return err
}

// mode returns the mode of locks.
func (f *s3Flags) mode() (types.ObjectLockMode, error) {
	for _, mode := range types.ObjectLockMode("").Values() {
		if strings.EqualFold(f.lock, string(mode)) {
			return mode, nil
		}
	}
	return "", app.UsageErrorf("--lock is %q, want compliance or governance", f.lock)
}

// span returns how long objects are locked, 0 if the bucket decides.
func (f *s3Flags) span() (time.Duration, error) {
	if f.lockFor == "" {
		return 0, nil
	}
	span, err := app.ParseSpan(f.lockFor)
	if err != nil || span <= 0 {
		return 0, app.UsageErrorf("--lock-for is %q, want a time such as 365d", f.lockFor)
	}
	return span, nil
}

// requestTimeout limits a request with its retries.
const requestTimeout = 2 * time.Minute

// positionField is the metadata of an object that holds the position of its last record.
const positionField = "position"

// A bucket is a destination with an object for each segment. Nothing else is stored: the
// position of a chain is the metadata of its last object.
type bucket struct {
	client *s3.Client
	name   string
	prefix string // of the names of objects: empty, or ends with a slash
	mode   types.ObjectLockMode
	span   time.Duration // for which objects are locked, 0 for what the bucket says
	now    func() time.Time
}

// openBucket returns the bucket that the flags name. Nothing is asked yet.
func openBucket(f *s3Flags, getenv func(string) string, now func() time.Time) (*bucket, error) {
	u, err := url.Parse(f.url)
	if err != nil || u.Scheme != "s3" || u.Host == "" || u.User != nil || u.RawQuery != "" {
		return nil, app.UsageErrorf("--to-s3 is no URL such as s3://BUCKET/PREFIX") // it may have a password
	}
	client, err := s3Client(getenv)
	if err != nil {
		return nil, err
	}
	b := &bucket{client: client, name: u.Host, now: now}
	if prefix := strings.Trim(u.Path, "/"); prefix != "" {
		b.prefix = prefix + "/"
	}
	b.mode, err = f.mode()
	if err == nil {
		b.span, err = f.span()
	}
	return b, err
}

// most implements destination.
func (b *bucket) most() int { return exportRecords }

// save implements destination: the objects have the positions.
func (b *bucket) save(positions) error { return nil }

// store implements destination. An object is never replaced: where one is there, another
// export has stored it meanwhile, unless it is the same one: the client repeats a request whose
// answer was lost.
func (b *bucket) store(ctx context.Context, s *segment) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	position, err := json.Marshal(s.last)
	if err != nil {
		return err
	}
	body := bytes.Join(s.lines, nil)
	sum := sha256.Sum256(body)
	in := &s3.PutObjectInput{
		Bucket: &b.name, Key: aws.String(b.prefix + s.dir() + "/" + segmentName(s.records[0].Seq)), Body: bytes.NewReader(body),
		ContentType: aws.String("application/jsonl"), IfNoneMatch: aws.String("*"),
		// A lock needs a checksum. One that is known before is a header, which all servers take.
		ChecksumAlgorithm: types.ChecksumAlgorithmSha256, ChecksumSHA256: aws.String(base64.StdEncoding.EncodeToString(sum[:])),
		Metadata: map[string]string{positionField: string(position)},
	}
	if b.span > 0 {
		in.ObjectLockMode, in.ObjectLockRetainUntilDate = b.mode, aws.Time(b.now().Add(b.span).UTC())
	}
	_, err = b.client.PutObject(ctx, in)
	if coded, ok := errors.AsType[interface {
		error
		ErrorCode() string
	}](err); ok && coded.ErrorCode() == "PreconditionFailed" {
		there, err := b.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &b.name, Key: in.Key})
		if err != nil {
			return fmt.Errorf("%s is there: %w", *in.Key, err)
		}
		if there.Metadata[positionField] == string(position) && aws.ToInt64(there.ContentLength) == int64(len(body)) {
			return nil
		}
		return fmt.Errorf("%s is there: another export runs to this bucket", *in.Key)
	}
	return err
}

// load implements destination.
func (b *bucket) load(ctx context.Context) (positions, error) {
	dirs, err := b.dirs(ctx)
	if err != nil {
		return nil, err
	}
	done := positions{}
	for chain, began := range dirs {
		s := segment{chain: chain, last: audit.Position{Began: began}}
		if done[chain], err = b.position(ctx, b.prefix+s.dir()+"/"); err != nil {
			return nil, err
		}
	}
	return done, nil
}

// dirs returns how often each chain in the bucket has started over.
func (b *bucket) dirs(ctx context.Context) (map[string]int, error) {
	all := map[string]int{}
	pages := s3.NewListObjectsV2Paginator(b.client, &s3.ListObjectsV2Input{Bucket: &b.name, Prefix: &b.prefix, Delimiter: aws.String("/")})
	for pages.HasMorePages() {
		page, err := b.nextPage(ctx, pages)
		if err != nil {
			return nil, err
		}
		for _, dir := range page.CommonPrefixes {
			chain, number, _ := strings.Cut(path.Base(aws.ToString(dir.Prefix)), "-")
			n, _ := strconv.Atoi(number) // 0 for the first
			all[chain] = max(all[chain], n-1, 0)
		}
	}
	return all, nil
}

func (b *bucket) nextPage(ctx context.Context, pages *s3.ListObjectsV2Paginator) (*s3.ListObjectsV2Output, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	return pages.NextPage(ctx)
}

// position returns the position of the last object of a folder.
func (b *bucket) position(ctx context.Context, dir string) (at audit.Position, err error) {
	key, err := b.lastObject(ctx, dir)
	if err != nil || key == "" {
		return at, err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	head, err := b.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &b.name, Key: &key})
	if err != nil {
		return at, err
	}
	if err := json.Unmarshal([]byte(head.Metadata[positionField]), &at); err != nil {
		return at, app.WithHints(fmt.Errorf("the object %s has no position of an export", key), "give --to-s3 a prefix of its own")
	}
	return at, nil
}

// lastObject returns the name of the last object of a folder, "" if there is none. It asks for
// objects further and further behind the first until there are none, and then in between: a
// chain may have millions of objects.
func (b *bucket) lastObject(ctx context.Context, dir string) (key string, err error) {
	var seq uint64
	grows := true
	for step := uint64(1); step > 0; {
		found, next, err := b.objectFrom(ctx, dir, seq+step)
		switch {
		case err != nil:
			return "", err
		case found == "":
			grows = false
			step /= 2
			continue
		}
		key, seq = found, next
		if grows {
			step *= 2
		} else {
			step /= 2
		}
	}
	return key, nil
}

// objectFrom returns the first object of a folder whose number is at least seq.
func (b *bucket) objectFrom(ctx context.Context, dir string, seq uint64) (key string, found uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	after := strings.TrimSuffix(segmentName(seq), path.Ext(segmentName(seq))) // before the name
	page, err := b.client.ListObjectsV2(ctx, &s3.ListObjectsV2Input{
		Bucket: &b.name, Prefix: &dir, StartAfter: aws.String(dir + after), MaxKeys: aws.Int32(1),
	})
	if err != nil || len(page.Contents) == 0 {
		return "", 0, err
	}
	key = aws.ToString(page.Contents[0].Key)
	if _, err := fmt.Sscanf(path.Base(key), "%d.jsonl", &found); err != nil {
		return "", 0, app.WithHints(fmt.Errorf("the object %s is not of an export", key), "give --to-s3 a prefix of its own")
	}
	return key, found, nil
}

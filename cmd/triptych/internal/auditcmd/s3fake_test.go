package auditcmd

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// The keys of the examples in Amazon's documents.
const (
	accessKey = "AKIAIOSFODNN7EXAMPLE"
	secretKey = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
)

// A bucketFake is an S3 service with one bucket, which has object lock. It checks signatures
// (AWS Signature Version 4) and checksums, and what a lock requires.
type bucketFake struct {
	*httptest.Server
	t        *testing.T
	pageSize int

	mu      sync.Mutex
	objects map[string]object
	asked   int
	lost    int // the number of the next answers to PUT that are lost
}

// An object is a stored object with the headers that it came with.
type object struct {
	body   []byte
	header http.Header
}

const bucketName = "archive"

func newBucketFake(t *testing.T) *bucketFake {
	t.Helper()
	b := &bucketFake{t: t, pageSize: 2, objects: map[string]object{}}
	b.Server = httptest.NewServer(b)
	t.Cleanup(b.Close)
	return b
}

// getenv returns the variables of a client of the fake.
func (b *bucketFake) getenv(name string) string {
	return map[string]string{
		"AWS_ACCESS_KEY_ID": accessKey, "AWS_SECRET_ACCESS_KEY": secretKey, "AWS_REGION": "us-east-1", "AWS_ENDPOINT_URL": b.URL,
	}[name]
}

// names returns the names of the objects in order.
func (b *bucketFake) names() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Sorted(maps.Keys(b.objects))
}

func (b *bucketFake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked++
	body, err := io.ReadAll(r.Body)
	if err != nil {
		b.t.Error(err)
	}
	sum := sha256.Sum256(body)
	if got := r.Header.Get("X-Amz-Content-Sha256"); got != hex.EncodeToString(sum[:]) {
		b.t.Errorf("%s %s: x-amz-content-sha256 is %s", r.Method, r.URL, got)
	}
	if signatureOf(r, secretKey) != fieldOf(r, "Signature") {
		refuse(w, http.StatusForbidden, "SignatureDoesNotMatch")
		return
	}
	key, ok := strings.CutPrefix(r.URL.Path, "/"+bucketName+"/")
	switch {
	case r.URL.Path != "/"+bucketName && !ok:
		refuse(w, http.StatusNotFound, "NoSuchBucket")
	case r.Method == http.MethodPut:
		b.put(w, key, object{body, r.Header.Clone()}, sum)
		if b.lost > 0 {
			b.lost--
			panic(http.ErrAbortHandler) // which ends the connection before the answer
		}
	case r.Method == http.MethodHead && b.objects[key].header != nil:
		for name, values := range b.objects[key].header {
			if strings.HasPrefix(name, "X-Amz-Meta-") {
				w.Header()[name] = values
			}
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(b.objects[key].body)))
	case r.URL.Query().Get("list-type") == "2":
		b.list(w, r.URL.Query())
	default:
		refuse(w, http.StatusNotFound, "NoSuchKey")
	}
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>refused</Message></Error>", code)
}

// put stores an object as a bucket with object lock does.
func (b *bucketFake) put(w http.ResponseWriter, key string, o object, sum [sha256.Size]byte) {
	mode, until := o.header.Get("X-Amz-Object-Lock-Mode"), o.header.Get("X-Amz-Object-Lock-Retain-Until-Date")
	at, err := time.Parse(time.RFC3339, until)
	switch {
	case o.header.Get("X-Amz-Checksum-Sha256") != base64.StdEncoding.EncodeToString(sum[:]):
		refuse(w, http.StatusBadRequest, "BadDigest")
	case (mode == "") != (until == ""), mode != "" && (err != nil || !at.After(time.Now()) || mode != "COMPLIANCE" && mode != "GOVERNANCE"):
		refuse(w, http.StatusBadRequest, "InvalidArgument")
	case o.header.Get("If-None-Match") == "*" && b.objects[key].header != nil:
		refuse(w, http.StatusPreconditionFailed, "PreconditionFailed")
	default:
		b.objects[key] = o
	}
}

// A listing is the answer of ListObjectsV2.
type listing struct {
	XMLName     xml.Name `xml:"ListBucketResult"`
	IsTruncated bool
	Next        string `xml:"NextContinuationToken,omitempty"`
	Contents    []struct{ Key string }
	Prefixes    []struct{ Prefix string } `xml:"CommonPrefixes"`
}

func (b *bucketFake) list(w http.ResponseWriter, q url.Values) {
	prefix, delimiter, after := q.Get("prefix"), q.Get("delimiter"), max(q.Get("start-after"), q.Get("continuation-token"))
	most := b.pageSize
	if n, err := strconv.Atoi(q.Get("max-keys")); err == nil {
		most = min(most, n)
	}
	var page listing
	for _, key := range slices.Sorted(maps.Keys(b.objects)) {
		rest, ok := strings.CutPrefix(key, prefix)
		dir, _, grouped := strings.Cut(rest, delimiter)
		name := key
		if grouped = grouped && delimiter != ""; grouped {
			name = prefix + dir + delimiter
		}
		if !ok || name <= after {
			continue
		}
		if len(page.Contents)+len(page.Prefixes) == most {
			page.IsTruncated, page.Next = true, after
			break
		}
		if after = name; grouped {
			page.Prefixes = append(page.Prefixes, struct{ Prefix string }{name})
		} else {
			page.Contents = append(page.Contents, struct{ Key string }{name})
		}
	}
	_ = xml.NewEncoder(w).Encode(page)
}

// fieldOf returns a field of the Authorization header.
func fieldOf(r *http.Request, name string) string {
	_, fields, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	for field := range strings.SplitSeq(fields, ",") {
		if value, ok := strings.CutPrefix(strings.TrimSpace(field), name+"="); ok {
			return value
		}
	}
	return ""
}

// signatureOf returns the signature that a request must have, as the document "Signature
// Calculations for the Authorization Header: Transferring Payload in a Single Chunk" says.
func signatureOf(r *http.Request, secret string) string {
	scope := strings.SplitN(fieldOf(r, "Credential"), "/", 2)
	parts := strings.Split(scope[len(scope)-1], "/")
	if len(scope) != 2 || scope[0] != accessKey || len(parts) != 4 {
		return "of somebody else"
	}
	canonical := []string{r.Method, escaped(r.URL.Path, "/"), queryOf(r.URL.Query())}
	signed := fieldOf(r, "SignedHeaders")
	for name := range strings.SplitSeq(signed, ";") {
		value := strings.Join(r.Header.Values(name), ",")
		switch name {
		case "host":
			value = r.Host
		case "content-length":
			value = strconv.FormatInt(r.ContentLength, 10)
		}
		canonical = append(canonical, name+":"+strings.TrimSpace(value))
	}
	canonical = append(canonical, "", signed, r.Header.Get("X-Amz-Content-Sha256"))
	sum := sha256.Sum256([]byte(strings.Join(canonical, "\n")))
	text := strings.Join([]string{"AWS4-HMAC-SHA256", r.Header.Get("X-Amz-Date"), scope[1], hex.EncodeToString(sum[:])}, "\n")
	key := []byte("AWS4" + secret)
	for _, part := range append(parts, text) {
		mac := hmac.New(sha256.New, key)
		_, _ = mac.Write([]byte(part)) // never fails
		key = mac.Sum(nil)
	}
	return hex.EncodeToString(key)
}

// queryOf returns the canonical form of a query.
func queryOf(q url.Values) string {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(q)) {
		pairs = append(pairs, escaped(name, "")+"="+escaped(q.Get(name), ""))
	}
	return strings.Join(pairs, "&")
}

// escaped encodes all bytes but the unreserved ones of RFC 3986 and those in also.
func escaped(s, also string) string {
	var out strings.Builder
	for _, c := range []byte(s) {
		if c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("-._~"+also, c) >= 0 {
			out.WriteByte(c)
		} else {
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	return out.String()
}

// The signature of the first example of the document that signatureOf names.
func TestSignatureOf(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "http://examplebucket.s3.amazonaws.com/test.txt", nil)
	for name, value := range map[string]string{
		"Range": "bytes=0-9", "X-Amz-Date": "20130524T000000Z",
		"X-Amz-Content-Sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"Authorization": "AWS4-HMAC-SHA256 Credential=" + accessKey + "/20130524/us-east-1/s3/aws4_request," +
			"SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=",
	} {
		r.Header.Set(name, value)
	}
	const want = "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
	if got := signatureOf(r, secretKey); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

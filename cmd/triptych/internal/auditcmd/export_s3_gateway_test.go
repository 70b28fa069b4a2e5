package auditcmd

import (
	"cmp"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/triptych-mcp/triptych/transport/audit"
)

// startGateway starts the S3 gateway that TRIPTYCH_TEST_S3 names, versitygw, and returns the
// variables of its client. "make conformance-s3" builds it.
func startGateway(t *testing.T) func(string) string {
	t.Helper()
	program := os.Getenv("TRIPTYCH_TEST_S3")
	if program == "" {
		t.Skip("TRIPTYCH_TEST_S3 names no S3 gateway: run make conformance-s3")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	root, versions := filepath.Join(t.TempDir(), "root"), filepath.Join(t.TempDir(), "versions")
	for _, dir := range []string{root, versions} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	gateway := exec.CommandContext(t.Context(), program, "--port", address, "--access", accessKey, "--secret", secretKey,
		"posix", "--versioning-dir", versions, root)
	gateway.Stderr = os.Stderr
	if err := gateway.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gateway.Wait() })
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
			break
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
	values := map[string]string{"AWS_ACCESS_KEY_ID": accessKey, "AWS_SECRET_ACCESS_KEY": secretKey, "AWS_ENDPOINT_URL": "http://" + address}
	return func(name string) string { return values[name] }
}

// A gateway of another project takes what is exported, holds its locks, and has the positions
// with which the next export goes on.
func TestExportToAGateway(t *testing.T) {
	getenv := startGateway(t)
	client, err := s3Client(getenv)
	if err != nil {
		t.Fatal(err)
	}
	name := aws.String(bucketName)
	if _, err := client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: name, ObjectLockEnabledForBucket: aws.Bool(true)}); err != nil {
		t.Fatal(err)
	}
	dir, add := trailOfFiles(t)
	to, err := openBucket(&s3Flags{url: "s3://" + bucketName + "/audit", lock: "compliance", lockFor: "1d"}, getenv, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	for n, keys := range [][]string{{"a", "b"}, {}, {"c"}, {"d", "e", "f"}} {
		add(keys...)
		if got, err := (&exporter{to: to}).run(t.Context(), audit.New(audit.Config{Dir: dir})); err != nil || got != len(keys) {
			t.Fatalf("export %d: %d records, %v", n, got, err)
		}
	}
	versions, err := client.ListObjectVersions(t.Context(), &s3.ListObjectVersionsInput{Bucket: name})
	if err != nil || len(versions.Versions) != 3 {
		t.Fatalf("%d versions, want those of 3 objects: %v", len(versions.Versions), err)
	}
	for _, v := range versions.Versions {
		kept, err := client.GetObjectRetention(t.Context(), &s3.GetObjectRetentionInput{Bucket: name, Key: v.Key, VersionId: v.VersionId})
		if err != nil || kept.Retention.Mode != types.ObjectLockRetentionModeCompliance || time.Until(*kept.Retention.RetainUntilDate) < 23*time.Hour {
			t.Errorf("%s: %+v, %v", *v.Key, cmp.Or(kept, new(s3.GetObjectRetentionOutput)).Retention, err)
		}
		if _, err := client.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: name, Key: v.Key, VersionId: v.VersionId}); err == nil {
			t.Errorf("%s was deleted in spite of its lock", *v.Key)
		}
	}
}

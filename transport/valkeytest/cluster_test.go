package valkeytest_test

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// A test gets the cluster of one that has ended, without its data and settings, and a
// cluster of its own while another test has one.
func TestClusterIsUsedAgain(t *testing.T) {
	var first string
	t.Run("first", func(t *testing.T) {
		server := valkeytest.StartCluster(t)
		client := server.Cluster(t)
		first = server.Addr
		if err := client.Set(t.Context(), "key", "value", 0).Err(); err != nil {
			t.Fatal(err)
		}
		if err := client.ConfigSet(t.Context(), "maxmemory", "1").Err(); err != nil {
			t.Fatal(err)
		}
		if other := valkeytest.StartCluster(t); other.Addr == first {
			t.Error("two clusters at once are the same")
		}
	})
	again := valkeytest.StartCluster(t)
	if again.Addr != first {
		again = valkeytest.StartCluster(t)
	}
	if again.Addr != first {
		t.Errorf("the third is at %s, want %s", again.Addr, first)
	}
	client := again.Cluster(t)
	if n, err := client.DBSize(t.Context()).Result(); n != 0 || err != nil {
		t.Errorf("%d keys, %v", n, err)
	}
	if err := client.Set(t.Context(), "key", "value", 0).Err(); err != nil {
		t.Errorf("writing: %v", err)
	}
}

// clusterOfChild makes the test a process that starts a cluster and is killed.
const clusterOfChild = "VALKEYTEST_CLUSTER_OF_CHILD"

// A cluster ends with the process that has started it, however that ends, and its folder
// goes, too.
func TestClusterEndsWithTheProcess(t *testing.T) {
	if os.Getenv(clusterOfChild) != "" {
		_, _ = os.Stdout.WriteString(valkeytest.StartCluster(t).Addr + "\n")
		_ = os.Stdout.Close()
		time.Sleep(time.Hour) // until it is killed
	}
	folder := t.TempDir()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), clusterOfChild+"=1", "TMPDIR="+folder)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if _, err := text.ReadFrom(out); err != nil {
		t.Fatal(err)
	}
	addr := string(bytes.TrimSpace(text.Bytes()))
	if _, err := os.ReadDir(folder); err != nil || !answers(addr) {
		t.Fatalf("no cluster at %q: %v", addr, err)
	}
	_ = child.Process.Kill()
	_ = child.Wait() // killed
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		left, err := os.ReadDir(folder)
		if err == nil && len(left) == 0 && !answers(addr) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("it still answers (%t), or has left files: %v", answers(addr), left)
		}
	}
}

// answers reports whether a server takes connections.
func answers(addr string) bool {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return false
	}
	_ = c.Close() // it has sent nothing
	return true
}

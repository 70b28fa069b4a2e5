package memory

import (
	"errors"
	"math"
	"testing"
)

// TestGroupMemory reads limits as the kernel's documentation of control groups
// describes them, versions 1 and 2.
func TestGroupMemory(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"no Linux", nil, math.MaxInt64},
		{"version 2", map[string]string{
			"/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/b/memory.max": "536870912\n", "/sys/fs/cgroup/a/memory.max": "max\n",
		}, 512 << 20},
		{"a group above has less", map[string]string{
			"/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/b/memory.max": "536870912\n", "/sys/fs/cgroup/a/memory.max": "1048576\n",
		}, 1 << 20},
		{"a container", map[string]string{"/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "1048576\n"}, 1 << 20},
		{"version 1", map[string]string{
			"/proc/self/cgroup":                             "5:devices:/\n4:memory:/a\n0::/\n",
			"/sys/fs/cgroup/memory/a/memory.limit_in_bytes": "1048576\n", "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
		}, 1 << 20},
		{"version 1 without a limit", map[string]string{
			"/proc/self/cgroup": "4:memory:/\n", "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
		}, math.MaxInt64},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := groupLimit(func(file string) ([]byte, error) {
				if text, ok := tt.files[file]; ok {
					return []byte(text), nil
				}
				return nil, errors.New("no such file")
			})
			if got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

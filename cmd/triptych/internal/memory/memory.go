// Package memory keeps the process within the memory of its control group, and gives
// memory back that clients made it take.
package memory

import (
	"log/slog"
	"math"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

// Limit sets the soft limit of Go's runtime to three quarters of the control
// group's, unless GOMEMLIMIT has set one: near it the collector runs more often.
func Limit(getenv func(string) string, log *slog.Logger) {
	limit := groupLimit(os.ReadFile)
	if getenv("GOMEMLIMIT") != "" || limit == math.MaxInt64 {
		return
	}
	debug.SetMemoryLimit(limit / 4 * 3)
	log.Debug("memory limited by the control group", "bytes", limit)
}

// limitFiles are the files of control groups with a limit, below the folder of
// each controller, in versions 2 and 1.
var limitFiles = []struct{ controller, folder, file string }{
	{"", "/sys/fs/cgroup", "memory.max"},
	{"memory", "/sys/fs/cgroup/memory", "memory.limit_in_bytes"},
}

// groupLimit returns the smallest limit of the process's control group and those
// above it, [math.MaxInt64] if there is none.
func groupLimit(readFile func(string) ([]byte, error)) int64 {
	limit := int64(math.MaxInt64)
	text, err := readFile("/proc/self/cgroup")
	if err != nil {
		return limit // no Linux
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		for _, m := range limitFiles {
			if len(fields) != 3 || fields[1] != m.controller {
				continue
			}
			for group := path.Clean("/" + fields[2]); ; group = path.Dir(group) {
				limit = min(limit, fileLimit(readFile, path.Join(m.folder, group, m.file)))
				if group == "/" {
					break
				}
			}
		}
	}
	return limit
}

// fileLimit reads one limit. Version 1 writes a number near the largest for none.
func fileLimit(readFile func(string) ([]byte, error), file string) int64 {
	text, err := readFile(file)
	if err != nil {
		return math.MaxInt64 // a group outside of what a container sees
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || n <= 0 || n > 1<<60 {
		return math.MaxInt64 // "max"
	}
	return n
}

package figures

import (
	"cmp"
	"os"
	"runtime"
	"strings"
)

// CPU is the name of the machine's processor, or of its architecture where it has
// no other.
func CPU() string { return cmp.Or(Fact("/proc/cpuinfo", "model name"), runtime.GOARCH) }

// Kernel returns the release of the kernel, or "" if it is unknown.
func Kernel() string {
	text, _ := os.ReadFile("/proc/sys/kernel/osrelease") // best effort
	return strings.TrimSpace(string(text))
}

// Fact is a line of a file of the kernel's, without its name; "" when there is
// none.
func Fact(path, name string) string {
	text, _ := os.ReadFile(path) // best effort
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

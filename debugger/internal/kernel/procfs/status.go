package procfs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Status holds the fields of /proc/PID/status of a process or thread.
type Status map[string]string

// ParseStatus reads "Name:\tvalue" lines.
func ParseStatus(text string) Status {
	s := Status{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(line, ":"); ok {
			s[name] = strings.TrimSpace(value)
		}
	}
	return s
}

// ShadowStack reports whether the thread has a shadow stack (Linux,
// Documentation/arch/x86/shstk.rst).
func (s Status) ShadowStack() bool {
	return slices.Contains(strings.Fields(s["x86_Thread_features"]), "shstk")
}

// Number is a decimal field, 0 when it is not there.
func (s Status) Number(name string) int {
	n, _ := strconv.Atoi(s[name])
	return n
}

// Bits is a hexadecimal field, 0 when it is not there.
func (s Status) Bits(name string) uint64 {
	n, _ := strconv.ParseUint(s[name], 16, 64)
	return n
}

// IDs are the real, effective, saved and file system ids of a field.
func (s Status) IDs(name string) [4]string {
	var ids [4]string
	copy(ids[:], strings.Fields(s[name]))
	return ids
}

// The fields of /proc/PID/stat after the name, counted as in proc(5).
const (
	StatState     = 3
	StatParent    = 4
	StatFlags     = 9
	StatStart     = 22
	StatProcessor = 39
)

// StatField returns a field after the name, which may itself contain spaces
// and parentheses.
func StatField(text string, number int) (string, error) {
	end := strings.LastIndexByte(text, ')')
	fields := strings.Fields(text[end+1:])
	if at := number - StatState; end >= 0 && at >= 0 && at < len(fields) {
		return fields[at], nil
	}
	return "", fmt.Errorf("stat has no field %d", number)
}

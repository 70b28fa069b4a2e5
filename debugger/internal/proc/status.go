package proc

import (
	"fmt"
	"strconv"
	"strings"
)

// status holds the fields of /proc/PID/status of a process or thread.
type status map[string]string

// parseStatus reads "Name:\tvalue" lines.
func parseStatus(text string) status {
	s := status{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(line, ":"); ok {
			s[name] = strings.TrimSpace(value)
		}
	}
	return s
}

// number is a decimal field, 0 when it is not there.
func (s status) number(name string) int {
	n, _ := strconv.Atoi(s[name])
	return n
}

// bits is a hexadecimal field, 0 when it is not there.
func (s status) bits(name string) uint64 {
	n, _ := strconv.ParseUint(s[name], 16, 64)
	return n
}

// ids are the real, effective, saved and file system ids of a field.
func (s status) ids(name string) [4]string {
	var ids [4]string
	copy(ids[:], strings.Fields(s[name]))
	return ids
}

// The fields of /proc/PID/stat after the name, counted as in proc(5).
const (
	statState     = 3
	statParent    = 4
	statFlags     = 9
	statStart     = 22
	statProcessor = 39
)

// statField returns a field after the name, which may itself contain spaces
// and parentheses.
func statField(text string, number int) (string, error) {
	end := strings.LastIndexByte(text, ')')
	fields := strings.Fields(text[end+1:])
	if at := number - statState; end >= 0 && at >= 0 && at < len(fields) {
		return fields[at], nil
	}
	return "", fmt.Errorf("stat has no field %d", number)
}

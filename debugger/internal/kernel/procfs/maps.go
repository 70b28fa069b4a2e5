package procfs

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// A Map is a range of a process's memory, one line of /proc/PID/maps.
type Map struct {
	Start, End           uint64
	Read, Write, Execute bool
	Shared               bool
	Offset               uint64 // of Start in the file
	Device               string // major:minor
	Inode                uint64
	Path                 string // a file, [stack] and the like, or ""
}

// Contains reports whether an address is in the mapping.
func (m Map) Contains(address uint64) bool {
	return m.Start <= address && address < m.End
}

// Maps are in the order of their addresses.
type Maps []Map

// Find returns the map with an address.
func (m Maps) Find(address uint64) (Map, bool) {
	low, high := 0, len(m)
	for low < high {
		middle := (low + high) / 2
		if m[middle].End <= address {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low < len(m) && m[low].Contains(address) {
		return m[low], true
	}
	return Map{}, false
}

// ReadMaps returns the mappings of a process or thread.
func ReadMaps(pid int) (Maps, error) {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/maps")
	if err != nil {
		return nil, err
	}
	maps, err := ParseMaps(f)
	return maps, errors.Join(err, f.Close())
}

// ParseMaps reads /proc/PID/maps, see proc(5).
func ParseMaps(r io.Reader) (Maps, error) {
	var maps Maps
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<16)
	for lines.Scan() {
		m, err := ParseMap(lines.Text())
		if err != nil {
			return nil, err
		}
		maps = append(maps, m)
	}
	return maps, lines.Err()
}

// ParseMap reads "start-end rwxp offset device inode path".
func ParseMap(line string) (Map, error) {
	var m Map
	fields, rest := [5]string{}, line
	for i := range fields {
		fields[i], rest, _ = strings.Cut(strings.TrimLeft(rest, " "), " ")
	}
	m.Path = strings.TrimLeft(rest, " ")
	start, end, _ := strings.Cut(fields[0], "-")
	numbers := []struct {
		text string
		base int
		into *uint64
	}{{start, 16, &m.Start}, {end, 16, &m.End}, {fields[2], 16, &m.Offset}, {fields[4], 10, &m.Inode}}
	for _, n := range numbers {
		v, err := strconv.ParseUint(n.text, n.base, 64)
		if err != nil {
			return m, fmt.Errorf("map %q: %w", line, err)
		}
		*n.into = v
	}
	if len(fields[1]) != 4 || m.End < m.Start {
		return m, fmt.Errorf("map %q: not a range and a mode", line)
	}
	mode := fields[1]
	m.Read, m.Write, m.Execute, m.Shared = mode[0] == 'r', mode[1] == 'w', mode[2] == 'x', mode[3] == 's'
	m.Device = fields[3]
	return m, nil
}

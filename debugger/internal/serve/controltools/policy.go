package controltools

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
)

// A Policy determines which processes may be attached to: those that at least one
// of its rules allows.
type Policy []rule

// A rule allows attaching to some processes.
type rule struct {
	text string
	lets func(c *candidate) bool
}

// A candidate is a process to be checked by a policy.
type candidate struct {
	pid  int
	uid  int
	path string // of its executable, "" if it cannot be read
}

// ruleForms maps the kinds of rules that have a value to their parsers.
var ruleForms = map[string]func(value string) (func(*candidate) bool, error){
	"user": userRule,
	"exe":  executableRule,
	"pid":  pidRule,
}

// ParsePolicy parses the rules of --attach.
func ParsePolicy(texts []string) (Policy, error) {
	var p Policy
	for _, text := range texts {
		text = strings.TrimSpace(text)
		lets, err := parseRule(text)
		if err != nil {
			return nil, fmt.Errorf("rule %q of --attach: %w", text, err)
		}
		p = append(p, rule{text, lets})
	}
	return p, nil
}

func parseRule(text string) (func(*candidate) bool, error) {
	switch text {
	case "own":
		return func(c *candidate) bool { return c.uid == os.Getuid() }, nil
	case "any":
		return func(*candidate) bool { return true }, nil
	case "none":
		return func(*candidate) bool { return false }, nil
	}
	form, value, _ := strings.Cut(text, ":")
	if parse := ruleForms[form]; parse != nil && value != "" {
		return parse(value)
	}
	return nil, errors.New("want own, any, none, user:NAME, exe:GLOB or pid:NUMBER")
}

// userRule parses a user name or id.
func userRule(value string) (func(*candidate) bool, error) {
	uid, err := strconv.Atoi(value)
	if err != nil {
		known, err := user.Lookup(value)
		if err != nil {
			return nil, err
		}
		if uid, err = strconv.Atoi(known.Uid); err != nil {
			return nil, err
		}
	}
	return func(c *candidate) bool { return c.uid == uid }, nil
}

// executableRule parses a pattern for absolute paths.
func executableRule(glob string) (func(*candidate) bool, error) {
	if _, err := filepath.Match(glob, ""); err != nil {
		return nil, err
	}
	return func(c *candidate) bool {
		ok, _ := filepath.Match(glob, c.path)
		return ok && c.path != ""
	}, nil
}

// pidRule parses a process id.
func pidRule(value string) (func(*candidate) bool, error) {
	pid, err := strconv.Atoi(value)
	return func(c *candidate) bool { return c.pid == pid }, err
}

// check returns an error if the policy does not allow attaching to a process.
func (p Policy) check(pid int) error {
	c, err := readCandidate(pid)
	if err != nil {
		return err
	}
	var texts []string
	for _, r := range p {
		if r.lets(c) {
			return nil
		}
		texts = append(texts, r.text)
	}
	return &proc.PermissionError{
		PID:   pid,
		Cause: fmt.Sprintf("the server's policy does not let it: --attach is %s", strings.Join(texts, ",")),
		Cure:  "the server's administrator can allow it with --attach own, any, user:NAME, exe:GLOB or pid:NUMBER",
	}
}

// readCandidate reads the properties of a process that rules refer to.
func readCandidate(pid int) (*candidate, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return nil, failure.NoProcess(pid)
	}
	c := &candidate{pid: pid, uid: -1}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 2 && fields[0] == "Uid:" {
			c.uid, _ = strconv.Atoi(fields[1])
		}
	}
	c.path, _ = os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	return c, nil
}

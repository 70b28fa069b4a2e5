package xml_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/document"
)

// A verdict is the answer of a program about a schema or a document.
type verdict struct {
	valid   bool
	none    bool // the program gave none
	file    string
	line    int // of the first error
	message string
}

func (v verdict) letter() string {
	switch {
	case v.none:
		return "?"
	case v.valid:
		return "V"
	}
	return "I"
}

func (v verdict) String() string {
	if v.valid {
		return "valid"
	}
	return fmt.Sprintf("%s:%d: %.300s", filepath.Base(v.file), v.line, v.message)
}

// Xerces is a process that validates with Apache Xerces.
type xerces struct {
	t   testing.TB
	in  io.WriteCloser
	out *bufio.Scanner
}

// xercesJar is the parser of the Debian package libxerces2-java.
const xercesJar = "/usr/share/java/xercesImpl.jar"

func startXerces(t testing.TB) *xerces {
	t.Helper()
	if _, err := os.Stat(xercesJar); err != nil {
		t.Skipf("libxerces2-java is not installed: %v", err)
	}
	cmd := exec.CommandContext(t.Context(), "java", "-Xss64m", "-Xmx1g", "-XX:+UseSerialGC", "-cp", xercesJar, filepath.Join("testdata", "Verdicts.java"))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skipf("java is not installed: %v", err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait() // the context may have killed it
	})
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	return &xerces{t, in, lines}
}

// judge gives the process a line and reads its answer.
func (x *xerces) judge(kind, path string) verdict {
	x.t.Helper()
	if _, err := fmt.Fprintln(x.in, kind, path); err != nil || !x.out.Scan() {
		x.t.Fatalf("Xerces has ended: %v, %v", err, x.out.Err())
	}
	fields := strings.SplitN(x.out.Text(), "\t", 4)
	if len(fields) < 4 {
		x.t.Fatalf("Xerces says %q", x.out.Text())
	}
	line, err := strconv.Atoi(fields[2])
	if err != nil {
		x.t.Fatal(err)
	}
	return verdict{valid: fields[0] == "valid", none: fields[0] == "unknown", file: fields[1], line: line, message: fields[3]}
}

var lintError = regexp.MustCompile(`^(.*?):(\d+): (?:element|parser|namespace|I/O|Entity|validity) (.*)`)

// lintDocuments has xmllint validate documents; ok reports whether it compiled the
// schema.
func lintDocuments(ctx context.Context, schema string, documents []string) (all map[string]verdict, compile verdict) {
	args := append([]string{"--noout", "--nonet", "--schema", schema}, documents...)
	out, err := exec.CommandContext(ctx, "xmllint", args...).CombinedOutput() // it fails if one of them does
	all, compile = map[string]verdict{}, verdict{valid: true}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 5 || strings.Contains(string(out), "WXS schema "+schema+" failed to compile") {
		compile.valid = false
	}
	first := map[string]verdict{}
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSuffix(line, "\n")
		if m := lintError.FindStringSubmatch(line); m != nil && !strings.Contains(m[3], "warning") {
			number, _ := strconv.Atoi(m[2]) // digits
			v := verdict{file: m[1], line: number, message: m[3]}
			if old, ok := first[m[1]]; !ok || v.line < old.line { // it lists what is about keys last
				first[m[1]] = v
			}
			if !compile.valid && compile.message == "" {
				compile.file, compile.line, compile.message = v.file, v.line, v.message
			}
		}
	}
	for _, path := range documents {
		v, failed := first[path]
		switch {
		case strings.Contains(string(out), path+" validates\n"):
			v = verdict{valid: true}
		case !failed:
			v = verdict{none: !strings.Contains(string(out), path+" fails to validate\n")}
		}
		all[path] = v
	}
	return all, compile
}

// compiles has the library compile a schema.
func compiles(ctx context.Context, lib *document.Library, schema string) verdict {
	_, err := lib.Validate(ctx, document.ValidateRequest{Document: "<none/>", Schema: schema})
	if wrong, ok := errors.AsType[*document.SchemaError](err); ok {
		first := wrong.Problems[0]
		return verdict{file: first.File, line: first.Line, message: first.Message}
	}
	if err == nil || errors.As(err, new(*document.ViolationsError)) {
		return verdict{valid: true}
	}
	return verdict{none: !errors.As(err, new(*document.SyntaxError)), message: err.Error()}
}

// matches has the library validate a document.
func matches(ctx context.Context, lib *document.Library, path, schema string) verdict {
	_, err := lib.Validate(ctx, document.ValidateRequest{Document: path, Schema: schema})
	if wrong, ok := errors.AsType[*document.ViolationsError](err); ok {
		first := wrong.Violations[0]
		for _, v := range wrong.Violations {
			if v.Line < first.Line {
				first = v
			}
		}
		return verdict{file: path, line: first.Line, message: first.Message}
	}
	if wrong, ok := errors.AsType[*document.SyntaxError](err); ok {
		return verdict{file: path, line: wrong.Line, message: wrong.Message}
	}
	if err != nil {
		return verdict{none: true, message: err.Error()}
	}
	return verdict{valid: true}
}

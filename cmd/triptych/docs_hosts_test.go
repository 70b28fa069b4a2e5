package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/hosts"
)

// hostsDocument is docs/hosts.md: the hosts and their quirks.
func hostsDocument(t *testing.T) string {
	var d document
	d.line("# Hosts\n\n%s", generated)
	d.line("`triptych doctor --url URL --key-file FILE` plays the first requests of each host against\n" +
		"a server, and says what the user would see and what to do:\n")
	d.line("    triptych doctor --url https://rules.example.com/mcp --key-file key.txt\n")
	d.line("It costs about eight calls of the key's quota. Each request takes at most 10 seconds.\n")
	d.line("## What is played\n")
	d.line("If the table names a version, the requests were recorded from it. The requests of the\n" +
		"other hosts follow their source, or the SDK on which they are built.\n")
	var rows [][]string
	for i := range hosts.All {
		h := &hosts.All[i]
		rows = append(rows, []string{cell(h.Title), cell(h.Asked), h.Requests(), cell(h.Trust), h.Source, h.Read})
	}
	d.table([]string{"host", "version", "requests", "to trust the server's own certificate", "source", "read on"}, rows)
	d.line("## Logins\n")
	d.line("The command goes the way of each of these hosts to the page that asks the person, without a\n" +
		"key: a request without one, the metadata of the resource and of the login, the client's id by its metadata\n" +
		"document or a registration, the page, and the error for a code that does not exist. It names\n" +
		"the step that fails, why, and what to do.\n")
	rows = nil
	for i := range hosts.Logins {
		l := &hosts.Logins[i]
		rows = append(rows, []string{cell(l.Title), "`" + l.Redirect + "`", cell(l.Document), cell(l.Source), l.Read})
	}
	d.table([]string{"host", "comes back to", "metadata document", "source", "read on"}, rows)
	d.line("## Quirks\n")
	d.line("What else hosts do, and how this server deals with it.\n")
	rows = nil
	for _, q := range hosts.Quirks {
		rows = append(rows, []string{cell(q.Host), q.Does, q.Here, cell(q.Source), q.Read, strings.Join(testLinks(t, q), ", ")})
	}
	d.table([]string{"host", "does", "here", "source", "read on", "tests"}, rows)
	return strings.TrimRight(d.String(), "\n") + "\n"
}

// testLinks returns links to the tests of a quirk. A test that does not exist fails the test.
func testLinks(t *testing.T, q hosts.Quirk) (links []string) {
	t.Helper()
	for _, test := range q.Tests {
		file, name, found := strings.Cut(test, ":")
		text, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(file)))
		if err != nil {
			t.Errorf("%s: %v", q.Host, err)
		} else if found && !strings.Contains(string(text), "\nfunc "+name+"(t *testing.T) {") {
			t.Errorf("%s: %s has no %s", q.Host, file, name)
		}
		if !found {
			name = strings.TrimSuffix(filepath.Base(file), ".txtar")
		}
		links = append(links, "["+name+"](../"+file+")")
	}
	return links
}

// untested are the hosts of quirks that need no test here: they are about the host alone.
var untested = map[string]bool{"Copilot CLI, Codex": true, "VS Code": true, "clients of 2024-11-05": true}

// Every quirk that concerns the server has a test.
func TestQuirksAreTested(t *testing.T) {
	for _, q := range hosts.Quirks {
		if len(q.Tests) == 0 && !untested[q.Host] {
			t.Errorf("%s %s: there is no test", q.Host, q.Does)
		}
		if q.Does == "" || q.Here == "" || q.Source == "" || q.Read == "" {
			t.Errorf("%+v is not complete", q)
		}
	}
}

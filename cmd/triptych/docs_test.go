package main

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

// The documents that are made from tables say what the tables say. After a
// change, make generate writes them.
func TestDocumentsAreFresh(t *testing.T) {
	for name, document := range map[string]func(*testing.T) string{
		"editors.md":   editorsDocument,
		"hosts.md":     hostsDocument,
		"tools.md":     toolsDocument,
		"revisions.md": revisionsDocument,
		"settings.md":  settingsDocument,
		"hunt.svg":     huntPicture,
	} {
		t.Run(name, func(t *testing.T) {
			mcptest.Golden(t, filepath.Join(top, "docs", name), []byte(document(t)))
		})
	}
}

// generated is the second paragraph of such a document.
const generated = "Made from the tables of the program by `make generate`.\n"

// A document is Markdown that grows.
type document struct {
	strings.Builder
	used  map[string]bool // of meanings
	state [][]string      // rows of the table of the state of a process
}

func (d *document) line(format string, args ...any) {
	d.WriteString(fmt.Sprintf(format, args...) + "\n")
}

// table writes rows of cells, each ready to stand in Markdown; there is none
// without rows.
func (d *document) table(heading []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	rules := make([]string, len(heading))
	for i := range rules {
		rules[i] = "---"
	}
	for _, cells := range append([][]string{heading, rules}, rows...) {
		d.line("%s", strings.TrimRight("| "+strings.Join(cells, " | ")+" |", " "))
	}
	d.line("")
}

// cell is plain text that stands in a cell.
func cell(plain string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "*", `\*`, "_", `\_`, "<", `\<`).Replace(plain)
}

// code is text that stands in a cell as it is.
func code(plain string) string {
	if plain == "" {
		return ""
	}
	if strings.Contains(plain, "`") {
		return "`` " + strings.ReplaceAll(plain, "|", `\|`) + " ``"
	}
	return "`" + strings.ReplaceAll(plain, "|", `\|`) + "`"
}

// freshTables opens every family as on a new machine.
func freshTables(t *testing.T) []*mcp.Table {
	t.Helper()
	return openTables(t, app.New().Families)
}

func openTables(t *testing.T, families []app.Family) []*mcp.Table {
	t.Helper()
	env := host.Env{
		Logger: slog.New(slog.DiscardHandler), Now: time.Now, Data: t.TempDir(),
		Getenv: func(string) string { return "" },
	}
	var tables []*mcp.Table
	for _, f := range families {
		table, err := f.Config.Open(t.Context(), env)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		tables = append(tables, table)
	}
	return tables
}

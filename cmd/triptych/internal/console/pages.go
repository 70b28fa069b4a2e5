package console

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/aoc/race"
	"github.com/triptych-mcp/triptych/transport/audit"
)

//go:embed templates static
var files embed.FS

// Style returns the style sheet of the pages.
func Style() []byte {
	text, err := files.ReadFile("static/style.css")
	if err != nil {
		panic(err) // it is part of the program
	}
	return text
}

// pages are the templates by name, each with the frame around it.
type pages map[string]*template.Template

// A frame holds what surrounds the content of a page.
type frame struct {
	Title, Version, Who, WhoID, CSRF string
	Places                           []place
	Done                             string // what a form has just done
	Data                             any
}

// functions lists the functions that templates call.
var functions = template.FuncMap{
	"when":     when,
	"iso":      func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"join":     strings.Join,
	"lines":    diffLines,
	"bar":      historyBar,
	"share":    percent,
	"duration": race.Duration,
	"title":    firstLine,
	"count":    plural,
	"marked":   marked,
	"outcomes": func() []string { return []string{string(audit.OK), string(audit.Failed), string(audit.Refused)} },
}

// when writes a time for people, in UTC.
func when(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format("2006-01-02 15:04")
}

// parsePages parses the templates, which are part of the program: it panics if one is
// broken.
func parsePages() pages {
	all := pages{}
	base := template.Must(template.New("").Funcs(functions).ParseFS(files, "templates/frame.html", "templates/parts.html", "templates/icons.html", "templates/chart.html"))
	names, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		panic(err)
	}
	for _, file := range names {
		name := strings.TrimSuffix(path.Base(file), ".html")
		if name != "frame" && name != "parts" && name != "icons" && name != "chart" {
			all[name] = template.Must(template.Must(base.Clone()).ParseFS(files, file))
		}
	}
	return all
}

// full writes a page in its frame.
func (p pages) full(w http.ResponseWriter, status int, name string, f frame) error {
	return p.write(w, status, name, "frame", f)
}

// bare writes a page for visitors who are not signed in.
func (p pages) bare(w http.ResponseWriter, status int, name string, data any) {
	_ = p.write(w, status, name, "bare", data) // the client may have disconnected
}

// write runs a template in memory first: half a page would look like a whole one.
func (p pages) write(w http.ResponseWriter, status int, name, layout string, data any) error {
	var page bytes.Buffer
	if err := p[name].ExecuteTemplate(&page, layout, data); err != nil {
		http.Error(w, "the page could not be made", http.StatusInternalServerError)
		return fmt.Errorf("the page %s: %w", name, err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = page.WriteTo(w) // the client may have disconnected
	return nil
}

// staticFile serves the style sheet or the icon. There is no list of them.
func staticFile(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=300")
		http.ServeFileFS(w, r, files, "static/"+name)
	}
}

// setHeaders sets the headers of every answer.
func setHeaders(header http.Header) {
	for name, value := range headers {
		header.Set(name, value)
	}
}

// firstLine returns the beginning of a text as a title.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if cut := []rune(line); len(cut) > maxTitle {
		line = string(cut[:maxTitle]) + "…"
	}
	return line
}

// maxTitle is the number of characters of a title.
const maxTitle = 120

// A diffLine is a line of a unified diff.
type diffLine struct{ Class, Text string }

// diffLines parts a unified diff.
func diffLines(text string) []diffLine {
	var all []diffLine
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		class := ""
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "@@"):
			class = "head"
		case strings.HasPrefix(line, "+"):
			class = "added"
		case strings.HasPrefix(line, "-"):
			class = "removed"
		}
		all = append(all, diffLine{class, line})
	}
	return all
}

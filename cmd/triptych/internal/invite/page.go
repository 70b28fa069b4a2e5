package invite

import (
	"bytes"
	_ "embed" // for the page
	"html/template"
	"net/http"
	"time"

	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/oauth"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"when": when}).Parse(pageText))

// when writes a time for people, in UTC.
func when(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format("2006-01-02 15:04") + " UTC"
}

// A page is the data of a page: an error, a link that can be used, or a key.
type page struct {
	Error  string
	Record *keys.Record
	Until  time.Time // of the link
	Key    string
	First  *way // that the invitation is for
	Others []way

	Login                   bool
	Style, Server, Endpoint string
}

// write runs the template in memory first: half a page would look like a whole one.
func (s *Server) write(w http.ResponseWriter, r *http.Request, status int, p page) {
	p.Login, p.Endpoint = s.cfg.Login, s.cfg.Resource(r).String()
	p.Server = server(p.Endpoint)
	p.Style = p.Server + Path + "style.css"
	oauth.SetHeaders(w.Header(), "")
	var text bytes.Buffer
	if err := pageTemplate.Execute(&text, p); err != nil {
		s.cfg.Logger.ErrorContext(r.Context(), "a page failed", "err", err)
		http.Error(w, "the page cannot be made", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(text.Bytes()) // the browser may have disconnected
}

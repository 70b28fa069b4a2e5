// Package sitetest serves a small site with the pages of adventofcode.com, for
// tests. The puzzles on it are made up; the HTML has the structure of real pages.
package sitetest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
)

// Session is the cookie that a [Site] accepts.
const Session = "53616c7465645f5fcafe0123456789abcdef"

// A Site is a fake site. Its counters may be read at any time.
type Site struct {
	*httptest.Server

	mu       sync.Mutex
	requests map[string]int // by method and path
	agents   map[string]bool
	cookies  map[string]bool
	solved   map[string]int // parts solved, by year/day
	// Status, if not 0, is the status of every answer.
	status int
	// verdict, if not "", is the article that answers submissions.
	verdict string
}

// NoThrottle is a [site.Waiter] that never waits.
type NoThrottle struct{}

// Wait implements [site.Waiter].
func (NoThrottle) Wait(ctx context.Context) error { return ctx.Err() }

// The accepted answers of every puzzle.
const (
	Answer1 = "11"
	Answer2 = "31"
)

// New starts a site. The caller must close it.
func New() *Site {
	s := &Site{requests: map[string]int{}, agents: map[string]bool{}, cookies: map[string]bool{}, solved: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{year}/day/{day}", s.page)
	mux.HandleFunc("GET /{year}/day/{day}/input", s.input)
	mux.HandleFunc("POST /{year}/day/{day}/answer", s.answer)
	mux.HandleFunc("GET /{year}", s.calendar)
	mux.HandleFunc("GET /{year}/leaderboard/private/view/{id}", s.leaderboard)
	s.Server = httptest.NewServer(s.count(mux))
	return s
}

// Requests returns the number of requests by method and path, as "GET /2024/day/1".
func (s *Site) Requests() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]int{}
	for path, n := range s.requests {
		all[path] = n
	}
	return all
}

// Agents returns the values of User-Agent that were seen.
func (s *Site) Agents() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for agent := range s.agents {
		all = append(all, agent)
	}
	return all
}

// Fail makes the site answer every request with a status; 0 ends that.
func (s *Site) Fail(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = status
}

// Judge makes the site answer submissions with an article; "" ends that.
func (s *Site) Judge(article string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.verdict = article
}

// Solve marks parts of a puzzle, such as 2024/1, as solved, as in a browser.
func (s *Site) Solve(puzzle string, parts int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.solved[puzzle] = parts
}

func (s *Site) count(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests[r.Method+" "+r.URL.Path]++
		s.agents[r.UserAgent()] = true
		status := s.status
		s.mu.Unlock()
		cookie, err := r.Cookie("session")
		switch {
		case status == http.StatusFound:
			http.Redirect(w, r, "/auth/login", status)
		case status != 0:
			w.Header().Set("Retry-After", "60")
			w.WriteHeader(status)
		case err != nil || cookie.Value != Session:
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprintln(w, "Puzzle inputs differ by user.  Please log in to get your puzzle input.")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// Input is the input of every puzzle.
const Input = "3   4\n4   3\n2   5\n1   3\n3   9\n3   3\n"

func (s *Site) page(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	solved := s.solved[r.PathValue("year")+"/"+r.PathValue("day")]
	s.mu.Unlock()
	_, _ = fmt.Fprint(w, Page(r.PathValue("day"), solved))
}

func (*Site) input(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, Input) }

func (s *Site) answer(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	puzzle := r.PathValue("year") + "/" + r.PathValue("day")
	article := s.verdict
	want := map[string]string{"1": Answer1, "2": Answer2}[r.PostFormValue("level")]
	switch {
	case article != "":
	case r.PostFormValue("level") != fmt.Sprint(s.solved[puzzle]+1):
		article = `<p>You don't seem to be solving the right level.  Did you already complete it? <a href="/">[Return]</a></p>`
	case r.PostFormValue("answer") == want:
		s.solved[puzzle]++
		article = `<p>That's the right answer!  You are <span class="day-success">one gold star</span> closer. <a href="#part2">[Continue to Part Two]</a></p>`
	default:
		article = `<p>That's not the right answer; your answer is too low.  If you're stuck, make sure you're using the full input data. Please wait one minute before trying again. <a href="/">[Return]</a></p>`
	}
	_, _ = fmt.Fprintf(w, "<!DOCTYPE html><html><body><main>\n<article>%s</article>\n</main></body></html>", article)
}

func (s *Site) calendar(w http.ResponseWriter, r *http.Request) {
	_, _ = fmt.Fprint(w, `<!DOCTYPE html><html><body><main><pre class="calendar">`+
		`<a aria-label="Day 1, two stars" href="/2024/day/1">1</a>`+"\n"+
		`<a aria-label="Day 2, one star" href="/2024/day/2">2</a>`+"\n"+
		`<a aria-label="Day 3" href="/2024/day/3">3</a></pre></main></body></html>`)
}

func (*Site) leaderboard(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.PathValue("id"), ".json") {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprint(w, `{"event":"2025","num_days":12,"owner_id":7,"members":{`+
		`"7":{"id":7,"name":"ann","stars":3,"local_score":9,"last_star_ts":1764600000,"completion_day_level":{"1":{"1":{"get_star_ts":1764570000},"2":{"get_star_ts":1764571000}},"2":{"1":{"get_star_ts":1764600000}}}},`+
		`"8":{"id":8,"name":null,"stars":1,"local_score":3,"last_star_ts":1764580000,"completion_day_level":{"1":{"1":{"get_star_ts":1764580000}}}}}}`)
}

// Page returns the page of a puzzle of which that many parts are solved.
func Page(day string, solved int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<!DOCTYPE html><html lang="en-us"><head><title>Day %s - Advent of Code</title></head><body><header><h1>Advent of Code</h1></header><main>
<article class="day-desc"><h2>--- Day %s: Two Lists ---</h2><p>The <em>elves</em> made a <a href="/2024/day/2">list</a> &amp; lost <span title="Or did they?">it</span>.</p>
<p>For example:</p>
<pre><code>3   4
4   <em>3</em>
</code></pre>
<ul>
<li>The smallest number is <code>1</code>.</li>
</ul>
<p>In this example, the total is <code><em>11</em></code>.</p>
<p>What is the total of <em>your lists</em>?</p>
</article>
`, day, day)
	if solved >= 1 {
		fmt.Fprintf(&b, `<p>Your puzzle answer was <code>%s</code>.</p><article class="day-desc"><h2 id="part2">--- Part Two ---</h2><p>Now the score is <em><code>31</code></em>.</p>
</article>
`, Answer1)
	}
	if solved >= 2 {
		fmt.Fprintf(&b, "<p>Your puzzle answer was <code>%s</code>.</p><p class=\"day-success\">Both parts of this puzzle are complete! They provide two gold stars: **</p>\n", Answer2)
	}
	b.WriteString(`<form method="post" action="1/answer"><input type="hidden" name="level" value="1"/></form></main></body></html>`)
	return b.String()
}

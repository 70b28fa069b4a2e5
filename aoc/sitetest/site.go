// Package sitetest serves a small site with the pages of adventofcode.com, for
// tests. The puzzles on it are made up; the HTML has the structure of real pages.
package sitetest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Session is the cookie that a [Site] accepts.
const Session = "53616c7465645f5fcafe0123456789abcdef"

// A Site is a fake site. Its counters may be read at any time.
type Site struct {
	*httptest.Server

	mu       sync.Mutex
	requests map[string]int // by method and path
	agents   map[string]bool
	solved   map[string]int // parts solved, by year/day
	// Status, if not 0, is the status of every answer.
	status int
	// verdict, if not "", is the article that answers submissions.
	verdict string
	// posted are the forms of submissions, in order.
	posted []url.Values
	// expired is whether the site has forgotten the cookie.
	expired bool
	// now is the site's clock; nil means that every puzzle is open.
	now func() time.Time
	// hang, if not nil, holds the answers of submissions until it is closed.
	hang <-chan struct{}
	// slow is the time that every answer takes.
	slow time.Duration
	// wrong counts wrong answers, by year/day.
	wrong map[string]int
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
	s := &Site{requests: map[string]int{}, agents: map[string]bool{}, solved: map[string]int{}, wrong: map[string]int{}}
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

// Expire makes the site forget the cookie, or know it again. It then shows puzzles and
// calendars as to strangers.
func (s *Site) Expire(expired bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expired = expired
}

// SetClock makes the site open puzzles by a clock.
func (s *Site) SetClock(now func() time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = now
}

// Hang makes the site judge submissions and not answer them until end is closed.
func (s *Site) Hang(end <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hang = end
}

// Slow makes every answer take a time.
func (s *Site) Slow(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slow = d
}

// Posted returns the submitted answers, in order.
func (s *Site) Posted() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var answers []string
	for _, form := range s.posted {
		answers = append(answers, form.Get("answer"))
	}
	return answers
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
		status, slow := s.status, s.slow
		s.mu.Unlock()
		time.Sleep(slow)
		switch {
		case status == http.StatusFound:
			http.Redirect(w, r, "/auth/login", status)
		case status != 0:
			w.Header().Set("Retry-After", "60")
			w.WriteHeader(status)
		case !s.isOpen(r):
			w.WriteHeader(http.StatusNotFound)
			_, _ = fmt.Fprintln(w, "Please don't repeatedly request this endpoint before it unlocks! The calendar countdown is synchronized with the server time; the link will be enabled on the calendar the instant this puzzle becomes available.")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// isOpen reports whether the puzzle of a request is open.
func (s *Site) isOpen(r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	var year, day int
	if n, _ := fmt.Sscanf(r.URL.Path, "/%d/day/%d", &year, &day); n < 2 || s.now == nil {
		return true
	}
	return !s.now().Before(time.Date(year, time.December, day, 5, 0, 0, 0, time.UTC))
}

// signedIn reports whether a request has the cookie.
func (s *Site) signedIn(r *http.Request) bool {
	cookie, err := r.Cookie("session")
	s.mu.Lock()
	defer s.mu.Unlock()
	return err == nil && cookie.Value == Session && !s.expired
}

// head returns the head of a page, which shows whether its reader is signed in.
func (s *Site) head(r *http.Request) string {
	if s.signedIn(r) {
		return `<header><nav><ul><li><a href="/settings">[Settings]</a></li><li><a href="/auth/logout">[Log Out]</a></li></ul></nav><div class="user">ann <span class="star-count">3*</span></div></header>`
	}
	return `<header><nav><ul><li><a href="/auth/login">[Log In]</a></li></ul></nav></header>`
}

// Input is the input of every puzzle.
const Input = "3   4\n4   3\n2   5\n1   3\n3   9\n3   3\n"

func (s *Site) page(w http.ResponseWriter, r *http.Request) {
	signedIn := s.signedIn(r)
	s.mu.Lock()
	solved := s.solved[r.PathValue("year")+"/"+r.PathValue("day")]
	s.mu.Unlock()
	if !signedIn {
		solved = 0
	}
	_, _ = fmt.Fprint(w, s.head(r), Page(r.PathValue("day"), solved))
	if !signedIn {
		_, _ = fmt.Fprint(w, `<p>To play, please identify yourself via one of these services:</p>`)
	}
}

func (s *Site) input(w http.ResponseWriter, r *http.Request) {
	if !s.signedIn(r) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprintln(w, "Puzzle inputs differ by user.  Please log in to get your puzzle input.")
		return
	}
	_, _ = fmt.Fprint(w, Input)
}

func (s *Site) answer(w http.ResponseWriter, r *http.Request) {
	if !s.signedIn(r) {
		_, _ = fmt.Fprint(w, s.head(r), "<main><p>To play, please identify yourself.</p></main>")
		return
	}
	article := s.judge(r)
	s.mu.Lock()
	hang := s.hang
	s.mu.Unlock()
	if hang != nil {
		select {
		case <-hang:
		case <-r.Context().Done():
		}
	}
	_, _ = fmt.Fprintf(w, "<!DOCTYPE html><html><body>%s<main>\n<article>%s</article>\n</main></body></html>", s.head(r), article)
}

// judge judges a submission and returns the article that answers it.
func (s *Site) judge(r *http.Request) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	puzzle := r.PathValue("year") + "/" + r.PathValue("day")
	article := s.verdict
	_ = r.ParseForm() // a form that cannot be read has no answer
	s.posted = append(s.posted, r.PostForm)
	want := map[string]string{"1": Answer1, "2": Answer2}[r.PostFormValue("level")]
	switch {
	case article != "":
	case r.PostFormValue("level") != fmt.Sprint(s.solved[puzzle]+1):
		article = `<p>You don't seem to be solving the right level.  Did you already complete it? <a href="/">[Return]</a></p>`
	case r.PostFormValue("answer") == want:
		s.solved[puzzle]++
		article = `<p>That's the right answer!  You are <span class="day-success">one gold star</span> closer. <a href="#part2">[Continue to Part Two]</a></p>`
	default:
		s.wrong[puzzle]++
		wait := "one minute"
		if s.wrong[puzzle] >= 5 {
			wait = "5 minutes"
		}
		article = `<p>That's not the right answer; your answer is too low.  Please wait ` + wait + ` before trying again. <a href="/">[Return]</a></p>`
	}
	return article
}

// calendar shows the stars of 2024 as below, and those of other years by the parts that
// are solved.
func (s *Site) calendar(w http.ResponseWriter, r *http.Request) {
	stars := map[int]int{1: 2, 2: 1, 3: 0}
	if year := r.PathValue("year"); year != "2024" {
		s.mu.Lock()
		for day := 1; day <= 12; day++ {
			stars[day] = s.solved[fmt.Sprintf("%s/%d", year, day)]
		}
		s.mu.Unlock()
	}
	if !s.signedIn(r) {
		clear(stars)
	}
	_, _ = fmt.Fprint(w, `<!DOCTYPE html><html><body>`, s.head(r), `<main><pre class="calendar">`)
	for day := 1; day <= 25; day++ {
		label := []string{"", ", one star", ", two stars"}[stars[day]]
		_, _ = fmt.Fprintf(w, "<a aria-label=\"Day %d%s\" href=\"/%s/day/%d\">%d</a>\n", day, label, r.PathValue("year"), day, day)
		if _, more := stars[day+1]; !more && len(stars) > 0 {
			break
		}
	}
	_, _ = fmt.Fprint(w, `</pre></main></body></html>`)
}

// ViewKey is the key of the read-only link of every leaderboard.
const ViewKey = "view_key=abc123"

func (s *Site) leaderboard(w http.ResponseWriter, r *http.Request) {
	if !s.signedIn(r) && r.URL.RawQuery != ViewKey {
		http.Redirect(w, r, "/", http.StatusFound)
		return
	}
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
	fmt.Fprintf(&b, `<!DOCTYPE html><html lang="en-us"><head><title>Day %s - Advent of Code</title></head><body><main>
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

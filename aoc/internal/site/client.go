package site

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	// DefaultURL is the address of the site.
	DefaultURL = "https://adventofcode.com"
	// LeaderboardInterval is the least time between two downloads of a private
	// leaderboard that the site asks for.
	LeaderboardInterval = 15 * time.Minute

	userAgent = "github.com/triptych-mcp/triptych (issues: github.com/triptych-mcp/triptych/issues)"
	maxPage   = 4 << 20          // bytes of a response
	maxTime   = 30 * time.Second // of one request, waiting for the throttle excluded
)

// Errors that the session cookie causes.
var (
	ErrNoSession       = errors.New("no session cookie: run triptych aoc login, or set AOC_SESSION")
	ErrSessionRejected = errors.New("the site does not accept the session cookie: log in with a browser, copy the new cookie and run triptych aoc login")
	ErrNotFound        = errors.New("the site has no such page")
)

// A LockedError reports a puzzle that has not been published.
type LockedError struct {
	Puzzle Puzzle
	Opens  time.Time
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("%s opens at %s; nothing was requested before that", e.Puzzle, e.Opens.UTC().Format("2006-01-02 15:04 UTC"))
}

// A BusyError reports that the site is overloaded or limits the rate of requests.
type BusyError struct {
	Status int           // the HTTP status
	After  time.Duration // when to retry; 0 if unknown
}

func (e *BusyError) Error() string {
	wait := "in a few minutes"
	if e.After > 0 {
		wait = "in " + e.After.String()
	}
	return fmt.Sprintf("the site answers %d %s; retry %s", e.Status, http.StatusText(e.Status), wait)
}

// A Waiter blocks until a request may be sent.
type Waiter interface {
	Wait(ctx context.Context) error
}

// A Config configures a [Client].
type Config struct {
	// URL is the address of the site; "" means [DefaultURL].
	URL string
	// Session is the value of the session cookie.
	Session Session
	// Throttle limits the rate of requests. It must not be nil; see [NewThrottle].
	Throttle Waiter
	// Now returns the current time; nil means time.Now.
	Now func() time.Time
	// Transport sends the requests; nil means http.DefaultTransport.
	Transport http.RoundTripper
}

// A Client sends requests to the site.
type Client struct {
	base     string
	session  Session
	throttle Waiter
	now      func() time.Time
	http     *http.Client
}

// New returns a client.
func New(cfg Config) *Client {
	now := cfg.Now
	if now == nil {
		now = time.Now
	}
	return &Client{
		base: strings.TrimRight(cmp.Or(cfg.URL, DefaultURL), "/"), session: cfg.Session, throttle: cfg.Throttle, now: now,
		http: &http.Client{
			Transport: cfg.Transport,
			// A redirect means that the session is not accepted. Following it would
			// send the cookie elsewhere.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// Page downloads the page of a puzzle.
func (c *Client) Page(ctx context.Context, p Puzzle) (*Page, error) {
	if err := c.checkUnlocked(p); err != nil {
		return nil, err
	}
	body, err := c.get(ctx, p.path())
	if err != nil {
		return nil, err
	}
	return parsePage(body, c.base)
}

// Input downloads the user's input for a puzzle.
func (c *Client) Input(ctx context.Context, p Puzzle) ([]byte, error) {
	if err := c.checkUnlocked(p); err != nil {
		return nil, err
	}
	return c.get(ctx, p.path()+"/input")
}

// Submit submits an answer. part is 1 or 2. The answer counts: a wrong one locks the
// puzzle for a minute or more.
func (c *Client) Submit(ctx context.Context, p Puzzle, part int, answer string) (Verdict, error) {
	if err := c.checkUnlocked(p); err != nil {
		return Verdict{}, err
	}
	form := url.Values{"level": {strconv.Itoa(part)}, "answer": {answer}}
	body, err := c.do(ctx, http.MethodPost, p.path()+"/answer", form)
	if err != nil {
		return Verdict{}, err
	}
	return parseVerdict(body)
}

// Stars downloads the calendar of a year and returns the user's stars by day.
func (c *Client) Stars(ctx context.Context, year int) (map[int]int, error) {
	body, err := c.get(ctx, "/"+strconv.Itoa(year))
	if err != nil {
		return nil, err
	}
	return parseCalendar(body), nil
}

// Leaderboard downloads a private leaderboard as the site's JSON.
func (c *Client) Leaderboard(ctx context.Context, year int, id string) ([]byte, error) {
	return c.get(ctx, fmt.Sprintf("/%d/leaderboard/private/view/%s.json", year, url.PathEscape(id)))
}

func (c *Client) checkUnlocked(p Puzzle) error {
	if opens := p.Opens(); c.now().Before(opens) {
		return &LockedError{Puzzle: p, Opens: opens}
	}
	return nil
}

func (c *Client) get(ctx context.Context, path string) ([]byte, error) {
	return c.do(ctx, http.MethodGet, path, nil)
}

// do sends a request when the throttle permits it and returns the body of a
// successful response.
func (c *Client) do(ctx context.Context, method, path string, form url.Values) ([]byte, error) {
	if c.session.value == "" {
		return nil, ErrNoSession
	}
	if err := c.throttle.Wait(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", userAgent)
	req.AddCookie(&http.Cookie{Name: "session", Value: c.session.value})
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("the site cannot be reached: %w", err)
	}
	defer func() { _ = resp.Body.Close() }() // nothing was written
	return readResponse(resp)
}

// readResponse returns the body of a response with status 200. The body of every
// other status is an error, by its status or its words.
func readResponse(resp *http.Response) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxPage+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the site's answer: %w", err)
	case len(body) > maxPage:
		return nil, fmt.Errorf("the site's answer exceeds %d bytes", maxPage)
	case resp.StatusCode >= 300 && resp.StatusCode < 400, resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden:
		return nil, ErrSessionRejected
	case resp.StatusCode == http.StatusBadRequest && strings.Contains(string(body), "log in"):
		return nil, ErrSessionRejected // "Puzzle inputs differ by user. Please log in to get your puzzle input."
	case resp.StatusCode == http.StatusNotFound:
		return nil, ErrNotFound
	case resp.StatusCode == http.StatusTooManyRequests, resp.StatusCode >= 500:
		return nil, &BusyError{Status: resp.StatusCode, After: retryAfter(resp.Header)}
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("the site answers %s", resp.Status)
	}
	return body, nil
}

func retryAfter(h http.Header) time.Duration {
	seconds, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || seconds < 0 || seconds > 24*3600 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

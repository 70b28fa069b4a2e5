package site

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
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

	errTooEarly = errors.New("the site has not opened this page yet")
)

// An UnknownVerdictError reports an answer that may have reached the site, and whose
// verdict is not known.
type UnknownVerdictError struct{ Err error }

func (e *UnknownVerdictError) Error() string {
	return "the answer may have been sent, and its verdict is not known: " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *UnknownVerdictError) Unwrap() error { return e.Err }

// A LockedError reports a puzzle that has not been published.
type LockedError struct {
	Puzzle Puzzle
	Opens  time.Time
	BySite bool // the site said so, although the local clock is past Opens
}

func (e *LockedError) Error() string {
	opens := e.Opens.UTC().Format("2006-01-02 15:04 UTC")
	if e.BySite {
		return fmt.Sprintf("%s is not open on the site yet, which opens it at %s; check the clock of this machine and retry in a minute", e.Puzzle, opens)
	}
	return fmt.Sprintf("%s opens at %s; nothing was requested before that", e.Puzzle, opens)
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
		return nil, locked(err, p)
	}
	return parsePage(body, c.base)
}

// locked returns the error of a request about a puzzle: the site answers 404 before
// it opens one.
func locked(err error, p Puzzle) error {
	if errors.Is(err, errTooEarly) {
		return &LockedError{Puzzle: p, Opens: p.Opens(), BySite: true}
	}
	return err
}

// Input downloads the user's input for a puzzle.
func (c *Client) Input(ctx context.Context, p Puzzle) ([]byte, error) {
	if err := c.checkUnlocked(p); err != nil {
		return nil, err
	}
	body, err := c.get(ctx, p.path()+"/input")
	return body, locked(err, p)
}

// Submit submits an answer. part is 1 or 2. The answer counts: a wrong one locks the
// puzzle for a minute or more. It returns an [UnknownVerdictError] if the request was
// sent and not answered, or answered in words that are not understood. After every
// other error the site has not judged the answer.
func (c *Client) Submit(ctx context.Context, p Puzzle, part int, answer string) (Verdict, error) {
	if err := c.checkUnlocked(p); err != nil {
		return Verdict{}, err
	}
	form := url.Values{"level": {strconv.Itoa(part)}, "answer": {answer}}
	var sent atomic.Bool // set by a goroutine of the transport
	trace := &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }}
	body, err := c.do(httptrace.WithClientTrace(ctx, trace), http.MethodPost, p.path()+"/answer", form)
	if noAnswer, ok := errors.AsType[*noAnswerError](err); ok && sent.Load() {
		return Verdict{}, &UnknownVerdictError{noAnswer}
	}
	if err != nil {
		return Verdict{}, locked(err, p)
	}
	verdict, err := parseVerdict(body)
	if err != nil && !errors.Is(err, ErrSessionRejected) {
		err = &UnknownVerdictError{err}
	}
	return verdict, err
}

// A noAnswerError reports a request without a whole answer.
type noAnswerError struct {
	doing string
	err   error
}

func (e *noAnswerError) Error() string { return e.doing + ": " + e.err.Error() }
func (e *noAnswerError) Unwrap() error { return e.err }

// Stars downloads the calendar of a year and returns the user's stars by day.
func (c *Client) Stars(ctx context.Context, year int) (map[int]int, error) {
	body, err := c.get(ctx, "/"+strconv.Itoa(year))
	if err != nil {
		return nil, err
	}
	return parseCalendar(body), nil
}

// Leaderboard downloads a private leaderboard as the site's JSON. The board of a
// read-only link needs no session.
func (c *Client) Leaderboard(ctx context.Context, year int, board Board) ([]byte, error) {
	path := fmt.Sprintf("/%d/leaderboard/private/view/%s.json", year, board.ID)
	if board.Query == "" {
		return c.get(ctx, path)
	}
	public := *c
	public.session = Session{}
	return public.request(ctx, http.MethodGet, path+"?"+board.Query, nil)
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

// do is like request and requires a session, in the request and in the page that
// answers it: puzzles and calendars are public, and the site shows them without the
// user's answers and stars if it does not accept the session.
func (c *Client) do(ctx context.Context, method, path string, form url.Values) ([]byte, error) {
	if c.session.value == "" {
		return nil, ErrNoSession
	}
	body, err := c.request(ctx, method, path, form)
	if err == nil && isSignedOut(body) {
		return nil, ErrSessionRejected
	}
	return body, err
}

// isSignedOut reports whether a page offers its reader to log in: in its head, or where
// others have the form for answers.
func isSignedOut(page []byte) bool {
	offers := bytes.Contains(page, []byte("[Log In]")) || bytes.Contains(page, []byte("please identify yourself"))
	return offers && !bytes.Contains(page, []byte("[Log Out]"))
}

// request sends a request when the throttle permits it and returns the body of a
// successful response.
func (c *Client) request(ctx context.Context, method, path string, form url.Values) ([]byte, error) {
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
	if !c.session.IsZero() {
		req.AddCookie(&http.Cookie{Name: "session", Value: c.session.value})
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, &noAnswerError{"the site cannot be reached", err}
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
		return nil, &noAnswerError{"reading the site's answer", err}
	case len(body) > maxPage:
		return nil, fmt.Errorf("the site's answer exceeds %d bytes", maxPage)
	case resp.StatusCode >= 300 && resp.StatusCode < 400, resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden:
		return nil, ErrSessionRejected
	case resp.StatusCode == http.StatusBadRequest && strings.Contains(string(body), "log in"):
		return nil, ErrSessionRejected // "Puzzle inputs differ by user. Please log in to get your puzzle input."
	case resp.StatusCode == http.StatusNotFound && strings.Contains(string(body), "before it unlocks"):
		return nil, errTooEarly // "Please don't repeatedly request this endpoint before it unlocks!"
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

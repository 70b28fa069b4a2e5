package site

import (
	"errors"
	"net/url"
	"regexp"
	"strconv"
)

// A Board identifies a private leaderboard.
type Board struct {
	ID    string
	Year  int    // of an address; 0 for a number
	Query string // of a read-only link; "" if the user's session is needed
}

var (
	boardID    = regexp.MustCompile(`^[0-9]{1,12}$`)
	boardPath  = regexp.MustCompile(`^/([0-9]{4})/leaderboard/private/view/([0-9]{1,12})(?:\.json)?$`)
	boardQuery = regexp.MustCompile(`^[A-Za-z0-9_=&.-]{1,200}$`)
)

// ParseBoard parses the number of a leaderboard or its address, which may be a
// read-only link. Only the path and query of an address count: requests go to the
// site.
func ParseBoard(text string) (Board, error) {
	if boardID.MatchString(text) {
		return Board{ID: text}, nil
	}
	wrong := errors.New("give the number of a leaderboard, as in its address, or its read-only link")
	u, err := url.Parse(text)
	if err != nil {
		return Board{}, wrong
	}
	m := boardPath.FindStringSubmatch(u.Path)
	if m == nil || u.RawQuery != "" && !boardQuery.MatchString(u.RawQuery) {
		return Board{}, wrong
	}
	year, _ := strconv.Atoi(m[1]) // four digits
	return Board{ID: m[2], Year: year, Query: u.RawQuery}, nil
}

package quota_test

import (
	"math"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/transport/quota"
)

func TestPlans(t *testing.T) {
	own := quota.Limits{Month: 7, Minute: 3}
	tests := []struct {
		text   string
		title  string
		limits quota.Limits
	}{
		{"free", "Free", quota.Limits{Month: 100, Minute: 10}},
		{"Developer", "Developer", quota.Limits{Month: 10_000, Minute: 60}},
		{"TEAM", "Team", quota.Limits{Month: 100_000, Minute: 300}},
		{"enterprise", "Enterprise", own},
	}
	for _, tt := range tests {
		plan, err := quota.ParsePlan(tt.text)
		if err != nil || plan.Title() != tt.title || plan.Limits(own) != tt.limits {
			t.Errorf("%s: %q, %v, %v, want %q, %v", tt.text, plan.Title(), plan.Limits(own), err, tt.title, tt.limits)
		}
	}
	if got := quota.Plans(); len(got) != len(tests) {
		t.Errorf("a key can have %v", got)
	}
	for _, text := range []string{"", "local", "gold", "free "} {
		if plan, err := quota.ParsePlan(text); err == nil {
			t.Errorf("ParsePlan(%q) = %v", text, plan)
		}
	}
	if got := quota.LocalPlan.Limits(own); !got.None() || quota.LocalPlan.Title() != "Local" {
		t.Errorf("Local: %v", got)
	}
}

func TestHeaders(t *testing.T) {
	month, minute := time.Unix(2_000_000, 0), time.Unix(1_000_000, 0)
	tests := []struct {
		name                    string
		monthLimit, monthUsed   int64
		minuteLimit, minuteUsed int64
		limit, remaining, reset string
	}{
		{name: "the month is tighter", monthLimit: 100, monthUsed: 60, minuteLimit: 10, minuteUsed: 5, limit: "100", remaining: "40", reset: "2000000"},
		{name: "the minute is tighter", monthLimit: 100, monthUsed: 40, minuteLimit: 10, minuteUsed: 5, limit: "10", remaining: "5", reset: "1000000"},
		{name: "equal shares", monthLimit: 100, monthUsed: 50, minuteLimit: 10, minuteUsed: 5, limit: "100", remaining: "50", reset: "2000000"},
		{name: "the minute is full", monthLimit: 100, monthUsed: 10, minuteLimit: 10, minuteUsed: 10, limit: "10", remaining: "0", reset: "1000000"},
		{name: "both are full", monthLimit: 100, monthUsed: 100, minuteLimit: 10, minuteUsed: 10, limit: "100", remaining: "0", reset: "2000000"},
		{name: "more used than allowed", monthLimit: 5, monthUsed: 9, minuteLimit: 10, limit: "5", remaining: "0", reset: "2000000"},
		{name: "no month", minuteLimit: 10, minuteUsed: 1, monthUsed: 99, limit: "10", remaining: "9", reset: "1000000"},
		{name: "no minute", monthLimit: 10, monthUsed: 1, minuteUsed: 99, limit: "10", remaining: "9", reset: "2000000"},
		{name: "no plan", monthLimit: -1, minuteLimit: -1, limit: "0", remaining: "0", reset: "2000000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u := quota.Usage{
				Month:  quota.Window{Limit: tt.monthLimit, Used: tt.monthUsed, Reset: month},
				Minute: quota.Window{Limit: tt.minuteLimit, Used: tt.minuteUsed, Reset: minute},
			}
			limit, remaining, reset, ok := u.Headers()
			if !ok || limit != tt.limit || remaining != tt.remaining || reset != tt.reset {
				t.Errorf("got %s %s %s %v, want %s %s %s", limit, remaining, reset, ok, tt.limit, tt.remaining, tt.reset)
			}
		})
	}
}

func TestCheckOwn(t *testing.T) {
	tests := []struct {
		plan quota.Plan
		own  quota.Limits
		fine bool
	}{
		{quota.Free, quota.Limits{}, true},
		{quota.Free, quota.Limits{Month: 1}, false},
		{quota.Enterprise, quota.Limits{}, true},
		{quota.Enterprise, quota.Limits{Month: quota.MaxLimit, Minute: 1}, true},
		{quota.Enterprise, quota.Limits{Month: quota.MaxLimit + 1}, false},
		{quota.Enterprise, quota.Limits{Month: math.MinInt64}, false},
		{quota.Enterprise, quota.Limits{Minute: -1}, false},
	}
	for _, tt := range tests {
		if err := tt.plan.CheckOwn(tt.own); (err == nil) != tt.fine {
			t.Errorf("%s with %v: %v", tt.plan, tt.own, err)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	e := &quota.ExceededError{Period: quota.Minute, Limit: 10, Used: 10, ResetAt: noon}
	for before, want := range map[time.Duration]int64{
		time.Minute: 60, 1500 * time.Millisecond: 2, time.Second: 1, time.Millisecond: 1, 0: 1, -time.Hour: 1,
	} {
		if got := e.RetryAfter(noon.Add(-before)); got != want {
			t.Errorf("%v before: %d, want %d", before, got, want)
		}
	}
	if got, want := e.Error(), "10 of 10 requests of this minute are used; the next begins at 2026-02-27T12:00:30Z"; got != want {
		t.Errorf("says %q, want %q", got, want)
	}
}

// TestWindowsOfTheCalendar has months end where the calendar says, in UTC.
func TestWindowsOfTheCalendar(t *testing.T) {
	m := openLocal(t, t.TempDir())
	east := time.FixedZone("", 5*3600+1800)
	tests := []struct{ now, month, minute string }{
		{"2026-01-31T23:59:59.999Z", "2026-02-01T00:00:00Z", "2026-02-01T00:00:00Z"},
		{"2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z", "2026-02-01T00:01:00Z"},
		{"2028-02-29T12:00:00Z", "2028-03-01T00:00:00Z", "2028-02-29T12:01:00Z"},
		{"2028-12-31T23:59:00Z", "2029-01-01T00:00:00Z", "2029-01-01T00:00:00Z"},
		{"2029-01-01T05:29:59+05:30", "2029-01-01T00:00:00Z", "2029-01-01T00:00:00Z"},
	}
	for _, tt := range tests {
		now, err := time.Parse(time.RFC3339, tt.now)
		if err != nil {
			t.Fatal(err)
		}
		u, err := m.Peek(t.Context(), tt.now, free, now.In(east))
		if err != nil || u.Month.Reset.Format(time.RFC3339) != tt.month || u.Minute.Reset.Format(time.RFC3339) != tt.minute {
			t.Errorf("%s: %v and %v, %v, want %s and %s", tt.now, u.Month.Reset, u.Minute.Reset, err, tt.month, tt.minute)
		}
	}
}

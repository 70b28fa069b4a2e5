package valkeyconn

import (
	"time"

	"github.com/redis/go-redis/v9"
)

// watch makes the link ping the server if a command of the given size is not
// answered in time. The caller must call done when the command ends.
func (l *link) watch(bytes int) (done func(answered bool)) {
	allowance := time.Duration(bytes) * (time.Second / slowestRate)
	l.mu.Lock()
	defer l.mu.Unlock()
	var timer *time.Timer
	timer = time.AfterFunc(hungAfter+allowance, func() { l.remind(&timer) })
	if allowance < pingWait { // never shorter than a ping
		return func(bool) { timer.Stop() }
	}
	l.excuseLocked(allowance)
	return func(answered bool) {
		timer.Stop()
		l.mu.Lock()
		defer l.mu.Unlock()
		l.large--
		if answered {
			l.lively = time.Now()
		}
	}
}

// remind is called when a command was not answered in time, and again when the
// excuse of the server ends. If the command has ended meanwhile, the ping is
// superfluous but harmless.
func (l *link) remind(timer **time.Timer) {
	if excused := l.suspect(); excused > 0 {
		l.mu.Lock()
		defer l.mu.Unlock()
		(*timer).Reset(excused)
	}
}

// excuseLocked extends the excuse of the server by allowance.
func (l *link) excuseLocked(allowance time.Duration) {
	now := time.Now()
	if l.large == 0 {
		l.lively, l.excused = now, now
	}
	if l.excused.Before(now) {
		l.excused = now
	}
	l.large++
	l.excused = l.excused.Add(allowance)
}

// excusedLocked returns the remaining time for which large commands excuse the
// server, or zero.
func (l *link) excusedLocked() time.Duration {
	if l.large == 0 {
		return 0
	}
	return max(0, min(time.Until(l.excused), time.Until(l.lively.Add(mostExcused))))
}

// size returns the total size of the arguments of commands, in bytes.
func size(cmds ...redis.Cmder) (n int) {
	for _, cmd := range cmds {
		for _, arg := range cmd.Args() {
			switch arg := arg.(type) {
			case string:
				n += len(arg)
			case []byte:
				n += len(arg)
			}
		}
	}
	return n
}

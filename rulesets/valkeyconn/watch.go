package valkeyconn

import (
	"time"

	"github.com/redis/go-redis/v9"
)

// watch has the server pinged when a command of that many bytes is not answered in
// time. Call done at the end of the command.
func (l *link) watch(bytes int) (done func(answered bool)) {
	allowance := time.Duration(bytes) * (time.Second / slowestRate)
	l.mu.Lock()
	defer l.mu.Unlock()
	var timer *time.Timer
	timer = time.AfterFunc(hungAfter+allowance, func() { l.remind(&timer) })
	if allowance < pingWait { // as short as what a ping may take
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

// remind is called when a command was not answered in time, and again when what excused
// the server is over. If the command has ended meanwhile, the server is pinged once in
// vain.
func (l *link) remind(timer **time.Timer) {
	if excused := l.suspect(); excused > 0 {
		l.mu.Lock()
		defer l.mu.Unlock()
		(*timer).Reset(excused)
	}
}

// excuseLocked excuses the server for that long after the commands that it has already.
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

// excusedLocked returns how long large commands still excuse that the server does not
// answer, zero if they do not.
func (l *link) excusedLocked() time.Duration {
	if l.large == 0 {
		return 0
	}
	return max(0, min(time.Until(l.excused), time.Until(l.lively.Add(mostExcused))))
}

// size returns the number of bytes in the arguments of commands.
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

package history

import "time"

// How long a step of one of several threads waits for the end of its system call
// before another thread gets its turn, and how long all of them wait at once
// before the limits are looked at.
const (
	threadPatience = time.Millisecond
	idleWait       = 20 * time.Millisecond
)

// allThreads makes steps of every thread, each in its turn. A thread that waits
// in the kernel goes on waiting there while others step.
func (n *run) allThreads() error {
	for id := n.s.Thread(); n.result.Why == 0; {
		err := n.s.Switch(id)
		if err == nil {
			err = n.threadTurn(id)
		}
		if err != nil || n.result.Why != 0 {
			return err
		}
		if n.limits.Progress != nil {
			n.limits.Progress(n.r.view())
		}
		if id, err = n.nextThread(id); err != nil {
			return err
		}
	}
	return nil
}

// threadTurn lets a thread step until it waits in the kernel, has had its turn,
// or another thread can go on that waited.
func (n *run) threadTurn(id int) error {
	infos, err := n.r.target.Threads()
	if err != nil {
		return err
	}
	n.s.SetPatience(idleWait)
	if len(infos) > 1 {
		n.s.SetPatience(threadPatience)
	}
	return n.turn()
}

// nextThread chooses the thread after id in the order of ids that does not wait.
// If all wait it waits with them, and chooses one anyway when a limit may have
// been reached.
func (n *run) nextThread(id int) (int, error) {
	for n.result.Why == 0 {
		if _, err := n.s.Poll(); err != nil {
			return 0, err
		}
		infos, err := n.r.target.Threads()
		if err != nil || len(infos) == 0 {
			return id, nil //nolint:nilerr // the next step finds out that the process has ended
		}
		first, later := 0, 0
		for _, info := range infos {
			switch {
			case n.s.Waiting(info.ID):
			case info.ID > id && later == 0:
				later = info.ID
			case first == 0:
				first = info.ID
			}
		}
		switch {
		case later != 0:
			return later, nil
		case first != 0:
			return first, nil
		}
		n.checkTime()
		if err := n.s.Await(idleWait); err != nil {
			return 0, err
		}
		if n.s.Paused() {
			n.result.Why = Paused
		}
	}
	return id, nil
}

// othersReady reports whether a thread that waited in the kernel can run on
// now. It is called after system calls only: other threads wait for these.
func (n *run) othersReady() (bool, error) {
	if !n.limits.AllThreads || len(n.r.pending) == 0 || !n.r.returning[n.s.Thread()] {
		return false, nil
	}
	return n.s.Poll()
}

// checkTime ends the run when its time is up.
func (n *run) checkTime() {
	if n.result.Why == 0 && !n.deadline.IsZero() && !time.Now().Before(n.deadline) {
		n.result.Why = TimedOut
	}
}

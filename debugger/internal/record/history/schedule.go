package history

import "time"

// threadSyscallWait limits the wait of a step of one of several threads for the end
// of its system call, after which another thread gets its turn. idleWait is the
// interval at which the limits are checked while all threads are blocked.
const (
	threadSyscallWait = time.Millisecond
	idleWait          = 20 * time.Millisecond
)

// allThreads steps all threads in turns. A thread that is blocked in the kernel
// stays there while the others step.
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

// threadTurn steps a thread until it blocks in the kernel, its turn is over, or
// another thread's system call returns.
func (n *run) threadTurn(id int) error {
	infos, err := n.r.target.Threads()
	if err != nil {
		return err
	}
	n.s.SetSyscallTimeout(idleWait)
	if len(infos) > 1 {
		n.s.SetSyscallTimeout(threadSyscallWait)
	}
	return n.runTurn()
}

// nextThread returns the next thread after id, in the order of ids, that is not
// blocked in the kernel. If all are, it waits until one is not or the run is
// over.
func (n *run) nextThread(id int) (int, error) {
	for n.result.Why == 0 {
		if _, err := n.s.Poll(); err != nil {
			return 0, err
		}
		infos, err := n.r.target.Threads()
		if err != nil || len(infos) == 0 {
			return id, nil //nolint:nilerr // the next step reports that the process has ended
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

// otherThreadReady reports whether the system call of a blocked thread has
// returned. It asks only after a system call of the current thread, because
// only that can wake another one.
func (n *run) otherThreadReady() (bool, error) {
	if !n.limits.AllThreads || len(n.r.attempts.pending) == 0 || !n.r.attempts.returning[n.s.Thread()] {
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

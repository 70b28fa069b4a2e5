package proc

// Follow decides what happens at fork, vfork and clone to the process and its child.
type Follow uint8

const (
	// FollowParent detaches from each child, without breakpoints.
	FollowParent Follow = iota
	// FollowChild goes on with the child and detaches from its parent.
	FollowChild
	// FollowBoth makes a Process of each child.
	FollowBoth
)

// A ChildTaker receives the children of a process with FollowBoth. Its methods are
// called on the tracer's thread of the parent, while a run is in progress, and may not
// use the parent.
type ChildTaker interface {
	// Admit reports whether another child can be taken. One that cannot is detached
	// from.
	Admit() bool
	// Take receives a child, stopped at its first instruction. If executed is true
	// that is one of another program: the child of vfork had no memory of its own
	// before.
	Take(child *Process, executed bool)
}

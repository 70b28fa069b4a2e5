package recfile

// A CutError ends a recording for a reason.
type CutError string

func (e CutError) Error() string { return string(e) }

// errTooMany ends a recording that a reader would refuse.
const errTooMany = CutError("the recording has reached the largest size, 2 GiB before compression")

// errFull ends a recording whose writer is full.
const errFull = CutError("its file has reached the largest size")

// errRingFull ends a recording in a Ring in which no other segment could begin.
const errRingFull = CutError("its file has reached the largest size, and the program has too much memory to begin there again")

// Package record holds the packages that know the past of a process.
//
//	recording  records whole programs by their inputs, and replays them
//	history    recorded execution, step by step; positions, searches in both directions
//	inplace    runs the threads of a process translated, with their instructions counted
//	findings   keeps what was found in a recording in files, for the next session of it
//
// history asks a recording for the part of the past that was recorded as a whole, and has
// the records of single steps itself. recording drives inplace, and replays in processes of
// its own.
package record

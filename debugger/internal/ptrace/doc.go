// Package ptrace is the only user of ptrace(2): requests, stops and their
// meaning, registers, memory and injected system calls of Linux on amd64.
//
// The kernel takes requests for a traced thread from one thread alone, the one
// that seized it. A Tracer is such a thread. Everything else in this package
// is a method of Tracer that must run there, inside Do:
//
//	tracer, err := ptrace.Start()
//	defer tracer.Close()
//	err = tracer.Do(ctx, func() error {
//		if err := tracer.Seize(tid, ptrace.Options); err != nil {
//			return err
//		}
//		if err := tracer.Interrupt(tid); err != nil {
//			return err
//		}
//		event, err := tracer.Next(ctx, nil)
//		…
//	})
//
// The package keeps no state about the threads it traces. What a stopped
// process is, package proc knows.
//
// # Waiting
//
// Next and Wait see the threads that this Tracer traces and the children it
// launched, and no others, so several Tracers and os/exec live side by side in
// one process. Next can be woken: waitid(2) cannot without losing a signal, so
// Next looks without blocking each time SIGCHLD says that something changed.
//
// When this program is killed, the thread of the last stop that was read gets the
// signal of that stop, as if it had not been traced. BeforeDrop brings the threads of
// earlier stops to where they may go on without.
//
// # Other systems
//
// The package builds everywhere. Where it cannot work, Start answers
// ErrPlatform.
package ptrace

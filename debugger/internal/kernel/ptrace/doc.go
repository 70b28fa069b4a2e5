// Package ptrace wraps ptrace(2) of Linux on amd64: requests, decoding of stops,
// registers, memory and injected system calls. No other package uses ptrace.
//
// The kernel accepts requests for a tracee only from the thread that seized it. A
// Tracer owns such a thread. The requests are methods of Tracer that must be called
// on that thread, within Do:
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
// The package holds no state of the tracees; package proc does.
//
// # Waiting
//
// Next and Wait return events of the threads that this Tracer traces and the
// children it launched, and no others, so several Tracers and os/exec can be used in
// one process. Next can be woken and canceled, which a blocking waitid(2) cannot:
// it polls with WNOHANG whenever SIGCHLD arrives.
//
// If this program is killed, the signal of the last stop that was read is delivered
// to its thread. The signals of earlier stops are not: BeforeConsume prepares their
// threads for that.
//
// # Other systems
//
// The package builds on all systems. Start returns ErrPlatform where it is not
// supported.
package ptrace

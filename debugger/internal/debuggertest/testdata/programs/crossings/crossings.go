// Go calls C calls Go calls C, and in the end Go again, or C: the argument says which one
// waits there. All is in the first thread.
package main

/*
#include <unistd.h>

extern void goMiddle(int);
extern void goInner(int);

static volatile int after; // what comes behind a call keeps it from being a jump

static __attribute__((noinline)) void cInner(int stay) {
	if (stay && write(1, "ready\n", 6) == 6)
		for (;;)
			pause();
	goInner(stay);
	after++;
}

static __attribute__((noinline)) void cOuter(int stay) {
	int here[4] = {stay, 1, 2, 3};
	goMiddle(here[after & 0]);
	after++;
}
*/
import "C"

import (
	"fmt"
	"os"
	"runtime"
)

func init() { runtime.LockOSThread() }

var rounds int

//export goInner
func goInner(C.int) {
	fmt.Println("ready")
	for {
		rounds++
	}
}

//export goMiddle
func goMiddle(stay C.int) {
	C.cInner(stay)
	rounds++
}

func main() {
	stay := C.int(0)
	if os.Args[1] == "c" {
		stay = 1
	}
	C.cOuter(stay)
	rounds++
}

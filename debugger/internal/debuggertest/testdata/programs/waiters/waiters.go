// Waiters has goroutines that wait for each other.
//
// Commands: any; the answer is "waiting".
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"runtime"
	"sync"
)

type ticket struct {
	number int
	owner  string
}

//go:noinline
func receive(in chan ticket, number int) {
	mine := ticket{number, "Ada"}
	got := <-in //break:receive
	fmt.Println(mine, got)
}

//go:noinline
func lock(m *sync.Mutex, name string) {
	m.Lock() //break:lock
	fmt.Println(name)
}

// waits reports whether a goroutine is in a state.
func waits(state string) bool {
	buf := make([]byte, 1<<16)
	return bytes.Contains(buf[:runtime.Stack(buf, true)], []byte(state))
}

func main() {
	in := make(chan ticket)
	var m sync.Mutex
	m.Lock()
	go receive(in, 41)
	go lock(&m, "second")
	for !waits("[chan receive") || !waits("[sync.Mutex.Lock") {
		runtime.Gosched()
	}
	fmt.Println("ready")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		fmt.Println("waiting")
	}
	fmt.Println(in, &m)
}

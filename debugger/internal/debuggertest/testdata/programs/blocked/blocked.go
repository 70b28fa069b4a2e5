// Blocked has goroutines that each wait for something else.
//
// Commands: any; the answer is "waiting".
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"os"
	"runtime"
	"sync"
	"time"
)

type account struct {
	name  string
	mutex sync.Mutex
}

var table sync.RWMutex

//go:noinline
func transfer(from, to *account, locked *sync.WaitGroup) {
	from.mutex.Lock()
	locked.Done()
	locked.Wait() // both have one lock
	to.mutex.Lock()
	fmt.Println(from, to)
}

//go:noinline
func receive(empty chan int) {
	<-empty
	fmt.Println(empty)
}

//go:noinline
func send(full chan string) {
	full <- "second"
	fmt.Println(full)
}

//go:noinline
func choose(a chan int, b chan string) {
	select {
	case <-a:
	case b <- "third":
	}
	fmt.Println(a, b)
}

//go:noinline
func group(all *sync.WaitGroup) {
	all.Wait()
	fmt.Println(all)
}

//go:noinline
func condition(c *sync.Cond) {
	c.L.Lock()
	c.Wait()
	fmt.Println(c)
}

// waiting reports how many goroutines are in a state.
func waiting(state string) int {
	buf := make([]byte, 1<<16)
	return bytes.Count(buf[:runtime.Stack(buf, true)], []byte("["+state))
}

func main() {
	a, b := &account{name: "a"}, &account{name: "b"}
	locked, all := new(sync.WaitGroup), new(sync.WaitGroup)
	locked.Add(2)
	all.Add(3)
	empty, full := make(chan int, 2), make(chan string, 1)
	full <- "first"
	table.Lock()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	for _, f := range []func(){
		func() { transfer(a, b, locked) }, func() { transfer(b, a, locked) }, func() { receive(empty) }, func() { send(full) },
		func() { choose(make(chan int), make(chan string)) }, func() { group(all) }, func() { condition(sync.NewCond(new(sync.Mutex))) },
		func() { table.RLock() }, func() { _, _ = listener.Accept() }, func() { time.Sleep(1000 * time.Hour) },
		func() { receive(nil) },
	} {
		go f()
	}
	for state, n := range map[string]int{
		"sync.Mutex.Lock": 2, "chan receive]": 1, "chan send": 1, "select]": 1, "sync.WaitGroup.Wait": 1,
		"sync.Cond.Wait": 1, "sync.RWMutex.RLock": 1, "IO wait": 1, "sleep": 1, "chan receive (nil": 1,
	} {
		for waiting(state) != n {
			runtime.Gosched()
		}
	}
	fmt.Println("ready")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		fmt.Println("waiting")
	}
	all.Done()
	table.Unlock()
}

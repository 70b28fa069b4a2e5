// Grow calls a function so deep that its goroutine's stack moves, and one that
// allocates, which goes through other stacks.
//
// Commands: any; work is called once, in a goroutine of its own.
package main

import (
	"bufio"
	"fmt"
	"os"
)

var sink any

//go:noinline
func alloc(n int) []byte { return make([]byte, n) }

//go:noinline
func deep(n int) int { //break:enter
	var b [512]byte    //break:array
	b[n%512] = byte(n) //break:store
	if n == 0 {        //break:zero
		return int(b[0])
	}
	return deep(n-1) + int(b[n%512]) //break:recurse
}

//go:noinline
func work(n int) int {
	sink = alloc(n * 40000) //break:alloc
	d := deep(n)            //break:deep
	d += n                  //break:after
	return d
}

func main() {
	fmt.Println("ready")
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		done := make(chan bool)
		go func() {
			fmt.Println(work(60)) //break:call
			done <- true
		}()
		<-done
	}
}

// The stack of a goroutine grows in a call and shrinks, and a goroutine that waits goes on in other threads.
package main

import "runtime"

func deep(n int) int {
	var a [64]int
	a[n%64] = n
	if n == 0 {
		return a[0]
	}
	return deep(n-1) + a[n%64]
}

func work(n int) int {
	before := n * 2
	sum := deep(n)
	return sum + before
}

func receive(c chan int) int {
	sum := 0
	for n := range c {
		sum += n
	}
	return sum
}

func shrunk(n int) int {
	sum := work(n)
	runtime.GC() // gives it a smaller stack while it waits
	runtime.GC()
	sum++
	return sum
}

func main() {
	c, done := make(chan int), make(chan int)
	go func() { done <- receive(c) }()
	go func() {
		runtime.LockOSThread() // a thread that the receiver cannot have
		for n := range 10 {
			c <- n
			runtime.Gosched()
		}
		close(c)
	}()
	total := <-done
	go func() { done <- work(100) }()
	total += <-done
	go func() { done <- shrunk(200) }()
	total += <-done
	println(total)
}

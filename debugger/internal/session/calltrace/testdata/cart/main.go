// A goroutine calls a function, and its result goes through a channel.
package main

type cart struct {
	items []int
	total int
}

func add(c *cart, price int) int {
	c.items = append(c.items, price)
	c.total += price
	return len(c.items)
}

func main() {
	results := make(chan int)
	go func() {
		c, n := &cart{}, 0
		for i := 1; i <= 3; i++ {
			n = add(c, i*10)
		}
		results <- n + c.total
	}()
	if <-results != 63 {
		panic("wrong")
	}
}

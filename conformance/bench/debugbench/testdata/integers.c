/*
 * integers works with integers for so many turns, calls once, and works for so many
 * turns again. For whole recordings.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

volatile uint64_t written_once;
uint64_t table[256];

__attribute__((noinline)) void once(void) { written_once = 42; }

__attribute__((noinline)) uint64_t work(uint64_t a, long turns)
{
	while (turns-- > 0) {
		a ^= a << 13;
		a ^= a >> 7;
		a ^= a << 17;
		table[a & 255] += a;
	}
	return a;
}

int main(int argc, char **argv)
{
	uint64_t a = work(0x9e3779b97f4a7c15ull, argc > 1 ? atol(argv[1]) : 0);
	once();
	a = work(a, argc > 2 ? atol(argv[2]) : 0);
	return printf("%d\n", (int)(a & 1)) < 0;
}

/*
 * loop is twelve frames deep and works with integers for ever. tick is called
 * after every sixteen turns, era_begins after every 1024 calls of tick, age_begins after
 * every 256 calls of era_begins.
 */
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

struct point { int x, y; double weight; const char *name; };
struct node { struct node *next; int value; };

volatile uint64_t ticks, era, age;
uint64_t table[256];

__attribute__((noinline)) void tick(uint64_t v) { ticks += v | 1; }

/* era_begins writes era some time after it was called. */
__attribute__((noinline)) void era_begins(void)
{
	for (volatile int i = 0; i < 20; i++)
		;
	era++;
}

__attribute__((noinline)) void age_begins(void) { age++; }

__attribute__((noinline)) void leaf(int depth)
{
	uint64_t a = 0x9e3779b97f4a7c15ull + (uint64_t)depth;
	int count = 42;
	struct point p = {count, 2, 0.5, "leaf"};
	struct node last = {0, 2}, first = {&last, 1};
	unsigned char bytes[4] = {1, 2, 3, 4};
	for (uint64_t turn = 0;; turn++) {
		if (turn % 1024 == 0)
			era_begins();
		if (turn % (256 * 1024) == 0)
			age_begins();
		for (int i = 0; i < 16; i++) {
			a ^= a << 13;
			a ^= a >> 7;
			a ^= a << 17;
			table[a & 255] += a + (uint64_t)p.x + (uint64_t)first.value + bytes[i & 3];
		}
		p.y++;
		tick(a);
	}
}

__attribute__((noinline)) int deep(int left, int depth)
{
	if (left == 0) {
		leaf(depth);
		return 0;
	}
	return deep(left - 1, depth + 1) + left;
}

int main(void)
{
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	puts("ready");
	fflush(stdout);
	return deep(11, 1);
}

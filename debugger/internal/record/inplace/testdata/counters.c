// Runs loops in turn that count their instructions in different ways: one counter only, some
// counters without any use of the others, blocks that leave at each of their branches, and
// blocks of which the program leaves the end only.

// A block of n comparisons, each followed by a branch that is not taken.
#define PASS1 "add $3, %%rax\n cmp %%rcx, %%rdx\n je 9f\n"
#define PASS3 PASS1 PASS1 PASS1
#define PASS12 PASS3 PASS3 PASS3 PASS3
// A branch that is taken, to the next block.
#define LEAVE "add $1, %%rax\n cmp %%rcx, %%rdx\n jne 1f\n ud2\n 1:\n"

#define LOOP(n, body)                                                                       \
	static __attribute__((noinline)) void loop##n(long count) {                             \
		__asm__ volatile("mov $-1, %%rdx\n 8: " body " sub $1, %%rcx\n jne 8b\n 9:\n"       \
		                 : "+c"(count) : : "rax", "rdx", "cc", "memory");                   \
	}

LOOP(0, "add $1, %%rax\n")
LOOP(1, PASS1)
LOOP(2, PASS3)
LOOP(3, PASS12)
LOOP(4, LEAVE)
LOOP(5, LEAVE LEAVE LEAVE)
LOOP(6, PASS3 LEAVE PASS1 LEAVE)
LOOP(7, PASS12 LEAVE)
LOOP(8, "setc %%al\n adc $1, %%rax\n lahf\n" LEAVE PASS3)

int main(void) {
	for (;;) {
		static void (*const loops[])(long) = {loop0, loop1, loop2, loop3, loop4, loop5, loop6, loop7, loop8};
		for (unsigned n = 0; n < sizeof loops / sizeof *loops; n++) {
			loops[n](100000);
			loops[n](10);
		}
	}
}

// orders is debugged by the client. Arguments: abort (it aborts at the end), wait (it
// writes a line and counts for ever, and lets processes that are not its parents trace
// it, as Yama's ptrace_scope 1 demands).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

struct order {
	int id;
	int items[4];
	const char *name;
};

static long total;
static volatile long rounds;

__attribute__((noinline)) static int add(struct order *o, int n) {
	int sum = n * o->items[n % 4]; // line: sum
	total += sum; // line: total
	return sum; // line: return
}

int main(int argc, char **argv) {
	struct order o = {7, {1, 2, 3, 4}, "nails"};
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	printf("begins\n"); // line: begin
	fflush(stdout);
	for (int n = 1; n <= 6; n++)
		add(&o, n); // line: call
	printf("total %ld\n", total); // line: print
	fflush(stdout);
	if (argc > 1 && strcmp(argv[1], "abort") == 0)
		abort();
	while (argc > 1 && strcmp(argv[1], "wait") == 0)
		rounds++; // line: wait
	return 5;
}

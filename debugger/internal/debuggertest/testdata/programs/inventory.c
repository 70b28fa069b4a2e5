// inventory is launched by tests of editors: it needs no input, has arguments,
// a large array and structures, and writes output.
//
// Arguments: abort (it aborts at the end), spin (it counts for ever).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
	int id;
	double price;
	const char *name;
	struct item *next;
};

int numbers[3000];
long total, rounds;
volatile long spins;

__attribute__((noinline)) static int weigh(struct item *it, int factor) {
	int weight = it->id * factor; //break:weigh
	total += weight; //break:total
	return weight; //break:weighed
}

__attribute__((noinline)) static int nest(int depth) {
	if (depth == 0)
		return 1; //break:bottom
	return nest(depth - 1) + 1;
}

int main(int argc, char **argv) {
	struct item last = {7, 2.5, "screw", NULL};
	struct item first = {3, 1.25, "nail", &last};
	for (int i = 0; i < 3000; i++)
		numbers[i] = i * i;
	printf("args %d, SHELF %s\n", argc, getenv("SHELF") ? getenv("SHELF") : "none"); //break:start
	fflush(stdout);
	for (int round = 1; round <= 6; round++) {
		weigh(round % 2 ? &first : &last, round); //break:call
		rounds++; //break:round
	}
	int depth = nest(30); //break:nest
	fprintf(stderr, "total %ld, depth %d\n", total, depth); //break:print
	if (argc > 1 && strcmp(argv[1], "abort") == 0)
		abort(); //break:abort
	while (argc > 1 && strcmp(argv[1], "spin") == 0)
		spins++; //break:spin
	return 4; //break:end
}

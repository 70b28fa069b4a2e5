// plain has lines that do one thing each, and one that calls a function whose
// value is not used.
//
// Commands: any; work is called once.
#include <stdio.h>

static volatile int total;

__attribute__((noinline)) static void add(void) {
	total++; //break:inside
}

__attribute__((noinline)) static void work(void) {
	int x, y, z;
	x = 1; //break:one
	y = 2; //break:two
	z = 3; //break:three
	add(); //break:call
	total += x; //break:after
	total += y + z; //break:last
}

int main(void) {
	char line[64];

	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("ready");
	while (fgets(line, sizeof line, stdin) != NULL)
		work();
	return 0;
}

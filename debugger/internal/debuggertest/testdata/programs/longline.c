// longline has a line that takes long and calls nothing.
//
// Commands: quit; any other runs the line, and is answered with its sum.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned long turns = 300000000;

__attribute__((noinline)) unsigned long add_up(void) {
	unsigned long sum = 0;
	for (unsigned long i = 0; i < turns; i++) sum += i; //break:long
	return sum; //break:after
}

int main(void) {
	char line[64];

	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("ready");
	while (fgets(line, sizeof line, stdin) != NULL) {
		if (strcmp(line, "quit\n") == 0)
			return 0;
		if (line[0] >= '0' && line[0] <= '9')
			turns = strtoul(line, NULL, 10);
		printf("%lu\n", add_up());
	}
	return 0;
}

// A program that creates one child after another: each calls visit for two
// milliseconds and ends with status 5; the parent ends with status 1 if one ends in
// another way. It answers a line with the word unharmed, after ten more children.
#include <poll.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

volatile int visits;

__attribute__((noinline)) void visit(void) { visits++; }

static long now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int main(void) {
	char line[64];
	int more = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("ready");
	for (;;) {
		struct pollfd in = {0, POLLIN};
		if (poll(&in, 1, 0) == 1) {
			if (read(0, line, sizeof line) <= 0)
				return 0;
			more = 10;
		}
		int status = 0;
		pid_t child = fork();
		if (child == 0) {
			for (long end = now() + 2000; now() < end;)
				visit();
			_exit(5);
		}
		visit();
		while (waitpid(child, &status, 0) != child)
			;
		if (status != 5 << 8)
			return 1;
		if (more > 0 && --more == 0)
			puts("unharmed");
	}
}

// fibers has coroutines, whose stacks are on the heap and call one another.
//
// Commands: quit; any other lets two coroutines take turns.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

static ucontext_t base, fiber[2];
static int turns;

static void work(int me) {
	for (int i = 0; i < 2; i++) {
		turns++;
		swapcontext(&fiber[me], me == 0 ? &fiber[1] : &base); //break:yield
		turns += 10; //break:back
	}
}

int main(void) {
	char line[64];

	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("ready");
	while (fgets(line, sizeof line, stdin) != NULL) {
		if (strcmp(line, "quit\n") == 0)
			return 0;
		turns = 0;
		for (int i = 0; i < 2; i++) {
			getcontext(&fiber[i]);
			fiber[i].uc_stack.ss_sp = malloc(65536);
			fiber[i].uc_stack.ss_size = 65536;
			fiber[i].uc_link = &base;
			makecontext(&fiber[i], (void (*)(void))work, 1, i);
		}
		swapcontext(&base, &fiber[0]);
		swapcontext(&base, &fiber[0]); //break:again
		swapcontext(&base, &fiber[1]);
		printf("%d\n", turns);
	}
	return 0;
}

// sharing starts a child in its own memory after it has worked alone.
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

static char stack[1 << 16] __attribute__((aligned(16)));
static const char *text = "alone";

static int work(void *p) { text = p; return 0; }

int main(void) {
	puts(text);
	fflush(stdout);
	int pid = clone(work, stack + sizeof stack, CLONE_VM | SIGCHLD, "with a child");
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		return 1;
	puts(text);
	return 5;
}

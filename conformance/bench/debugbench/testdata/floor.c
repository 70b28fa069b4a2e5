/*
 * floor steps a process and does nothing else: what no debugger that steps can
 * get below. Arguments: the process, and how many steps. It prints the
 * nanoseconds of one.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Both on one processor: a step across two is a wake-up of the other one. */
static void together(int pid)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	sched_setaffinity(0, sizeof set, &set);
	sched_setaffinity(pid, sizeof set, &set);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	int pid = atoi(argv[1]), status;
	long n = atol(argv[2]);
	together(pid);
	if (ptrace(PTRACE_SEIZE, pid, 0, 0) || ptrace(PTRACE_INTERRUPT, pid, 0, 0) || waitpid(pid, &status, __WALL) < 0) {
		perror("attach");
		return 1;
	}
	double began = now();
	for (long i = 0; i < n; i++)
		if (ptrace(PTRACE_SINGLESTEP, pid, 0, 0) || waitpid(pid, &status, __WALL) < 0 || !WIFSTOPPED(status)) {
			perror("step");
			return 1;
		}
	printf("%.1f\n", (now() - began) / (double)n);
	return 0;
}

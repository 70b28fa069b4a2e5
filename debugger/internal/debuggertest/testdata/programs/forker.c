// forker begets processes that call visit, and becomes another program.
//
// Commands: fork, vfork, spawn (answer: the status of the child, and visits),
// exec (the same program again), thread (exec from another thread).
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
volatile long visits;
static char *self;

__attribute__((noinline)) void visit(void) {
	visits++; //break:visit
}

static void again(void) {
	execl(self, self, NULL);
	_exit(9);
}

static void *other(void *arg) {
	again();
	return NULL;
}

static int beget(const char *how) {
	pid_t child = 0;
	char *args[] = {self, "child", NULL};
	int status = -1;

	if (strcmp(how, "fork\n") == 0) {
		child = fork();
		if (child == 0) {
			visit();
			visit();
			_exit(40 + visits);
		}
	} else if (strcmp(how, "vfork\n") == 0) {
		child = vfork();
		if (child == 0) {
			visit();
			_exit(50);
		}
	} else {
		posix_spawn(&child, self, NULL, NULL, args, environ);
	}
	visit();
	waitpid(child, &status, 0);
	return status;
}

int main(int argc, char **argv) {
	char line[64];
	pthread_t thread;

	self = argv[0];
	if (argc > 1) {
		visit();
		return 60 + visits;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	setvbuf(stdin, NULL, _IONBF, 0);
	puts("ready");
	while (fgets(line, sizeof line, stdin) != NULL) {
		if (strcmp(line, "exec\n") == 0)
			again();
		if (strcmp(line, "thread\n") == 0) {
			pthread_create(&thread, NULL, other, NULL);
			pthread_join(thread, NULL);
		}
		int status = beget(line);
		printf("%d %d %ld\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0, WEXITSTATUS(status), visits);
	}
	return 0;
}

// Ends before its child, when that has copied a byte of the standard input, or, with an
// argument, restricts its system calls while it has one.
#include <linux/seccomp.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int main(int argc, char **argv) {
	char *cat[] = {"cat", NULL};
	pid_t child;
	int status, ends[2];
	char byte;
	if (argc == 1) {
		posix_spawn_file_actions_t actions;
		posix_spawn_file_actions_init(&actions);
		pipe(ends);
		posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
		posix_spawn(&child, "/bin/cat", &actions, NULL, cat, environ);
		return read(ends[0], &byte, 1) - 1;
	}
	child = fork();
	if (child == 0)
		_exit(7);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, 0, 0, 0); // fails
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

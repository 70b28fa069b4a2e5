// A program that starts children by posix_spawn, which begin in its memory.
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

extern char **environ;

int main() {
	char *arguments[] = {"echo", "spawned", 0};
	pid_t child;
	int status;
	if (posix_spawn(&child, "/bin/echo", 0, 0, arguments, environ) != 0) return 1;
	if (waitpid(child, &status, 0) != child || status != 0) return 2;
	status = system("exit 4");
	printf("%d\n", WEXITSTATUS(status));
	return 6;
}

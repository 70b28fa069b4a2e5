// A program with a child whose threads race for the letters of its output.
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { threads = 4, rounds = 300 };

static char letters[threads * rounds];
static volatile int next;

static void *append(void *letter) {
	for (int i = 0; i < rounds; i++) {
		int n = next;
		letters[n] = *(char *)letter;
		next = n + 1;
	}
	return 0;
}

int main(void) {
	pid_t child = fork();
	if (child == 0) {
		pthread_t ids[threads];
		for (int i = 0; i < threads; i++) pthread_create(&ids[i], 0, append, &"abcd"[i]);
		for (int i = 0; i < threads; i++) pthread_join(ids[i], 0);
		return write(1, letters, sizeof letters) < 0;
	}
	int status = 1;
	waitpid(child, &status, 0);
	return status != 0;
}

// thread starts a thread after it has worked alone.
#include <pthread.h>
#include <stdio.h>

static void *work(void *n) { return n; }

int main(void) {
	pthread_t t;
	puts("alone");
	fflush(stdout);
	void *result;
	if (pthread_create(&t, NULL, work, "with a thread") || pthread_join(t, &result))
		return 1;
	puts(result);
	return 5;
}

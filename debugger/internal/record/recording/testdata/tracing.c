// tracing asks to trace a process, which cannot be recorded, while two of its threads wait and
// two compute. All of them run on afterwards.
#include <pthread.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static volatile int begun, over;
static volatile long count;

static void *waits(void *p) {
	pthread_mutex_lock(&mutex);
	begun++;
	while (!over)
		pthread_cond_wait(&change, &mutex);
	pthread_mutex_unlock(&mutex);
	return p;
}

static void *computes(void *p) {
	while (!over)
		count++;
	return p;
}

int main(void) {
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, i < 2 ? waits : computes, NULL);
	while (begun < 2)
		usleep(1000);
	ptrace(PTRACE_CONT, -1, NULL, NULL);
	pthread_mutex_lock(&mutex);
	over = 1;
	pthread_cond_broadcast(&change);
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	puts("all threads have ended");
	return 6;
}

// A thread waits for a condition with a timeout. Another one changes words behind the futex while
// it waits, first by a read and then by instructions, and sleeps in between.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WORDS = 100, ROUNDS = 20 };

static struct {
	pthread_mutex_t mutex;
	pthread_cond_t done;
	char told[2];
	volatile long words[WORDS];
} area = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};

static int wrong;

static void *count(void *unused) {
	if (read(0, area.told, sizeof area.told) != sizeof area.told)
		return NULL;
	wrong += memcmp(area.told, "go", sizeof area.told) != 0;
	for (long round = 1; round <= ROUNDS; round++) {
		for (int n = 0; n < WORDS; n++)
			area.words[n]++;
		nanosleep(&(struct timespec){0, 2000000}, NULL);
		for (int n = 0; n < WORDS; n++)
			wrong += area.words[n] != round;
	}
	pthread_mutex_lock(&area.mutex);
	pthread_cond_signal(&area.done);
	pthread_mutex_unlock(&area.mutex);
	return unused;
}

int main(void) {
	pthread_t counter;
	struct timespec end;
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += 3600;
	pthread_mutex_lock(&area.mutex);
	pthread_create(&counter, NULL, count, NULL);
	puts("ready");
	fflush(stdout);
	pthread_cond_timedwait(&area.done, &area.mutex, &end);
	pthread_mutex_unlock(&area.mutex);
	pthread_join(counter, NULL);
	printf("%d wrong\n", wrong);
}

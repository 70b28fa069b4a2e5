#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// A program that writes memory in many ways: by plain instructions, repeated string
// operations, vector instructions, system calls, signals and two threads. It prints the
// addresses of what it writes and of a function.

static volatile long rounds, rare, once;
static char block[256], text[64], copy[64];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long shared, caught;
static volatile char *mapped;

__attribute__((noinline)) void visit(long n) {
	if (n % 97 == 0)
		rare = n;
	rounds++;
}

static void handler(int signal) { caught += signal; }

static void fill(long n) {
	char *to = block + n % 128;
	unsigned long count = n % 64;
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(n) : "memory");
	memset(copy, (int)n, sizeof copy);
	memcpy(text, copy, n % 60);
}

static void *second(void *unused) {
	for (int n = 0; n < 300; n++) {
		pthread_mutex_lock(&lock);
		shared += n;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

int main(int argc, char **argv) {
	long times = argc > 1 ? atol(argv[1]) : 300;
	printf("%p %p %p %p %p %p %p %p\n", (void *)&rounds, (void *)&rare, (void *)&once, (void *)block, (void *)text,
	       (void *)&shared, (void *)&caught, (void *)visit);
	fflush(stdout);
	struct sigaction action = {.sa_handler = handler};
	sigaction(SIGUSR1, &action, 0);
	once = 1;
	int ends[2];
	if (pipe(ends))
		return 1;
	pthread_t thread;
	pthread_create(&thread, 0, second, 0);
	for (long n = 1; n <= times; n++) {
		visit(n);
		if (n % 16 == 0) {
			fill(n);
			pthread_mutex_lock(&lock);
			shared ^= n;
			pthread_mutex_unlock(&lock);
		}
		if (n % 50 == 0) {
			snprintf(text, sizeof text, "round %ld", n);
			if (write(ends[1], text, 32) != 32 || read(ends[0], block + n % 200, 32) != 32)
				return 2;
		}
		if (n % 100 == 0) {
			raise(SIGUSR1);
			mapped = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			mapped[n % 4096] = 1;
			munmap((void *)mapped, 4096);
		}
	}
	pthread_join(thread, 0);
	return 0;
}

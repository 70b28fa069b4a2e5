/* work.c computes for some 100 million instructions, or for less, and writes what it has
   computed. A global is written once, near the beginning. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile unsigned long planted; /* written once */
static volatile unsigned long sum;
static volatile unsigned handled;
static unsigned char table[256];

__attribute__((noinline)) void plant(unsigned long value) {
	planted = value;
} //break:planted

__attribute__((noinline)) unsigned long mix(unsigned long x) {
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdul;
	return x ^ table[x & 255]; //break:mix
}

__attribute__((noinline)) void round_of(unsigned long n) {
	for (unsigned long i = 0; i < n; i++)
		sum += mix(sum + i);
} //break:rounded

__attribute__((noinline)) void done(void) {
	__asm__ volatile("");
} //break:done

static void on_signal(int number) {
	handled += (unsigned)number; //break:handler
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static volatile int whose;
static volatile unsigned long passed;

static void *player(void *me) {
	for (int i = 0; i < 50; i++) {
		pthread_mutex_lock(&lock);
		while (whose != (int)(long)me)
			pthread_cond_wait(&turn, &lock);
		passed += (unsigned long)me + 1; //break:passed
		whose = !whose;
		pthread_cond_signal(&turn);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

/* A filter that permits all system calls. */
static void seal(void) {
	struct sock_filter permit = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = {1, &permit};
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
		perror("seccomp");
}

int main(int argc, char **argv) {
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 10;
	unsigned long each = argc > 2 ? strtoul(argv[2], NULL, 10) : 500000;
	const char *also = argc > 3 ? argv[3] : "";
	for (unsigned i = 0; i < sizeof table; i++)
		table[i] = (unsigned char)(i * 7);
	signal(SIGUSR1, on_signal);
	signal(SIGHUP, on_signal);
	if (!strcmp(also, "waits")) {
		puts("ready");
		fflush(stdout);
		getchar();
	}
	plant(each + 5);
	for (unsigned long i = 0; i < rounds; i++) {
		round_of(each);
		if (!strcmp(also, "signal"))
			raise(SIGUSR1);
	}
	if (!strcmp(also, "seals"))
		seal();
	if (!strcmp(also, "threads")) {
		pthread_t threads[2];
		for (long i = 0; i < 2; i++)
			pthread_create(&threads[i], NULL, player, (void *)i);
		for (int i = 0; i < 2; i++)
			pthread_join(threads[i], NULL);
	}
	done();
	printf("%lu %lu %u %lu\n", planted, sum, handled, passed);
	if (!strcmp(also, "crash"))
		*(volatile char *)planted = 1;
	return 3;
}

// leaver leaves its code by all ways: exceptions, longjmp, handlers of faults and of
// timers, children. It writes what it has counted.
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf back;
static int unwound, faults;
static volatile sig_atomic_t ticks;

static void fault(int) {
	faults++;
	siglongjmp(back, 1);
}

static void tick(int) { ticks++; }

struct Guard {
	~Guard() { unwound++; }
};

static int descend(int n) {
	Guard guard;
	if (n == 0)
		throw std::runtime_error("bottom");
	return descend(n - 1) + 1;
}

int main() {
	std::map<std::string, long> counts;
	signal(SIGSEGV, fault);
	signal(SIGALRM, tick);
	itimerval each = {{0, 20000}, {0, 20000}};
	setitimer(ITIMER_REAL, &each, nullptr);
	for (int i = 0; i < 20000; i++) {
		counts["k" + std::to_string(i * 7919 % 1000)] += i;
		try {
			if (i % 50 == 0)
				descend(i % 17);
		} catch (const std::exception &e) {
			counts[e.what()]++;
		}
		if (i % 5000 == 0 && !sigsetjmp(back, 1))
			*(volatile int *)8 = 1;
	}
	while (ticks < 3) // polls, for the timer has its own speed
		;
	itimerval never = {};
	setitimer(ITIMER_REAL, &never, nullptr);
	int status = 0;
	pid_t child = fork();
	if (child == 0)
		_exit(7);
	waitpid(child, &status, 0);
	long sum = 0;
	for (auto &entry : counts)
		sum = sum * 31 + entry.second;
	printf("%ld %d %d %d\n", sum, unwound, faults, WEXITSTATUS(status));
	fflush(stdout);
	return 3;
}

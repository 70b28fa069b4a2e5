// thrower leaves functions by other ways than their ends: it throws exceptions
// and jumps.
//
// Commands: near (catches in the function that calls), far (in its caller),
// jump (by longjmp), quit.
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <stdexcept>

static jmp_buf back;
static int result;

__attribute__((noinline)) static void fail(int n) {
	result += n;
	if (n > 0)
		throw std::runtime_error("failed"); //break:throw
	result = 0;
}

__attribute__((noinline)) static void jump(int n) {
	result += n;
	longjmp(back, n); //break:longjmp
}

__attribute__((noinline)) static void between(int n) {
	fail(n); //break:between
	result = -1;
}

__attribute__((noinline)) static void near(void) {
	try {
		fail(1); //break:near
		result = -1;
	} catch (const std::exception &e) { //break:catch
		result += 10; //break:caught
	}
	result += 100;
}

__attribute__((noinline)) static void far(void) {
	try {
		between(2); //break:far
		result = -1;
	} catch (const std::exception &e) { //break:farcatch
		result += 20; //break:farcaught
	}
	result += 200;
}

__attribute__((noinline)) static void leap(void) {
	if (setjmp(back) == 0) {
		jump(3); //break:leap
		result = -1;
	} else {
		result += 30; //break:leapt
	}
	result += 300; //break:end
}

int main(void) {
	char line[64];

	setvbuf(stdout, nullptr, _IOLBF, 0);
	puts("ready");
	while (fgets(line, sizeof line, stdin) != nullptr) {
		result = 0;
		if (strcmp(line, "quit\n") == 0)
			return 0;
		if (strcmp(line, "near\n") == 0)
			near();
		if (strcmp(line, "far\n") == 0)
			far();
		if (strcmp(line, "jump\n") == 0)
			leap();
		printf("%d\n", result);
	}
	return 0;
}

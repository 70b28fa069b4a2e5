// Coroutines that are suspended, have ended, or do nothing; the test stops in marker.
#include <coroutine>
#include <cstdio>

struct Gen {
	struct promise_type {
		int current = 0;
		Gen get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
		std::suspend_always initial_suspend() { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		std::suspend_always yield_value(int v) { current = v; return {}; }
		void return_void() {}
		void unhandled_exception() {}
	};
	std::coroutine_handle<promise_type> h;
};

Gen count(int to) {
	for (int i = 1; i <= to; i++)
		co_yield i;
}

__attribute__((noinline)) void marker() { __asm__ volatile("" ::: "memory"); }

int main() {
	Gen three = count(3), zero = count(0);
	three.h.resume();
	zero.h.resume();
	std::coroutine_handle<Gen::promise_type> typed = three.h;
	std::coroutine_handle<> suspended = three.h, ended = zero.h, none, noop = std::noop_coroutine();
	marker();
	std::printf("%d %d\n", three.h.promise().current, ended.done() + suspended.done() + !none + noop.done() + !typed);
}

// Bugs of public reports, each rebuilt in a few lines and named by the argument. They fail by abort(3).
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string>
#include <sys/epoll.h>
#include <thread>
#include <unistd.h>

// A test of condition variables sleeps for 100 ms, and takes it that its threads wait then:
// https://github.com/llvm/llvm-project/issues/95944
static int notified() {
	std::mutex m;
	std::condition_variable changed;
	int arrived = 0;
	bool go = false;
	auto wait = [&] {
		std::unique_lock<std::mutex> lock(m);
		arrived++;
		changed.wait(lock, [&] { return go; });
	};
	std::thread first(wait), second(wait);
	std::this_thread::sleep_for(std::chrono::milliseconds(100));
	{
		std::lock_guard<std::mutex> lock(m);
		if (arrived != 2) abort();
		go = true;
	}
	changed.notify_all();
	first.join(), second.join();
	return 0;
}

// A loop ends when epoll_wait fails with EINTR, though the process handles no signals:
// https://github.com/acassen/keepalived/issues/1883
static int scheduler() {
	int fd[2], loop = epoll_create1(0);
	epoll_event e{};
	e.events = EPOLLIN;
	if (pipe(fd) || epoll_ctl(loop, EPOLL_CTL_ADD, fd[0], &e)) return 2;
	for (int i = 0; i < 3; i++) {
		char c = 0;
		if (write(fd[1], &c, 1) != 1) return 2;
		if (epoll_wait(loop, &e, 1, 1000) < 0) abort();
		if (read(fd[0], &c, 1) != 1) return 2;
	}
	return 0;
}

int main(int argc, char **argv) {
	std::string name = argc > 1 ? argv[1] : "";
	if (name == "notified") return notified();
	if (name == "scheduler") return scheduler();
	return 2;
}

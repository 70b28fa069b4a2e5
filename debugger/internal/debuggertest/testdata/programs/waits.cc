// Waits has threads that wait by what C++ has for it.
//
// Commands: any; the answer is "waiting".
#include <atomic>
#include <condition_variable>
#include <future>
#include <iostream>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>

struct Account {
	long balance = 0;
	std::mutex lock;
};

struct Slow {
	Slow() { std::this_thread::sleep_for(std::chrono::hours(100)); }
};

static std::atomic<int> locked;
static std::shared_mutex table;

static void transfer(Account *from, Account &to) {
	std::lock_guard<std::mutex> first(from->lock);
	for (locked++; locked < 2;) { // both have one lock
	}
	std::lock_guard<std::mutex> second(to.lock);
}

static void initialize() { static Slow slow; }

int main() {
	auto *a = new Account, *b = new Account;
	std::mutex lock;
	std::condition_variable changed;
	std::promise<int> promise;
	auto future = promise.get_future();
	table.lock();
	std::thread threads[] = {
		std::thread([=] { transfer(a, *b); }),
		std::thread([=] { transfer(b, *a); }),
		std::thread([&] { std::unique_lock<std::mutex> held(lock); changed.wait(held); }),
		std::thread([&] { future.wait(); }),
		std::thread([] { table.lock_shared(); }),
		std::thread(initialize),
		std::thread(initialize),
	};
	std::cout << "ready" << std::endl;
	for (std::string line; std::getline(std::cin, line);) std::cout << "waiting" << std::endl;
	std::_Exit(0);
}

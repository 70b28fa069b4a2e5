// Programs with a race each, which is named by the argument. They fail by abort(3).
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

// An object that its owner deletes while another thread still uses it.
struct session {
	int id = 7;
	std::atomic<bool> finished{false};
	~session() { id = -1; }
};

static int released() {
	for (int i = 0; i < 20; i++) {
		auto *s = new session;
		std::thread worker([s] {
			for (volatile int k = 0; k < 100; k++) {}
			s->finished = true;
			if (s->id != 7) abort(); // the owner may have deleted it
		});
		while (!s->finished) std::this_thread::yield();
		delete s;
		worker.join();
	}
	return 0;
}

// Double-checked locking, where the pointer is there before the object.
struct table {
	int rows[64];
};
static table *volatile shared_table;
static std::mutex making;

static table *get() {
	if (shared_table == nullptr) {
		std::lock_guard<std::mutex> lock(making);
		if (shared_table == nullptr) {
			auto *t = static_cast<table *>(calloc(1, sizeof(table)));
			shared_table = t;
			for (int &row : t->rows) row = 1;
		}
	}
	return shared_table;
}

static int twice() {
	std::thread other([] {
		if (get()->rows[63] != 1) abort();
	});
	if (get()->rows[63] != 1) abort();
	other.join();
	return 0;
}

int main(int argc, char **argv) {
	std::string name = argc > 1 ? argv[1] : "";
	if (name == "released") return released();
	if (name == "twice") return twice();
	return 2;
}

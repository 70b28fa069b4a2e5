// Blocks allocates by operators of C++, one of which is the class's own.
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

struct Node {
	long value = 1;
	Node *next = nullptr;
};

// A Pooled is in a block that its class has allocated for many.
struct Pooled {
	char bytes[40];
	static void *operator new(size_t size);
};

static char *pool;
static size_t used;

void *Pooled::operator new(size_t size) {
	if (!pool) pool = static_cast<char *>(malloc(4000));
	used += size;
	return pool + used - size;
}

static Node *kept, *deleted;
static Pooled *second;
static int *numbers, *element;
static const char *text;

int main() {
	kept = new Node;
	deleted = new Node;
	numbers = new int[100];
	delete deleted;
	new Pooled;
	second = new Pooled;
	std::vector<int> v(50);
	element = &v[25];
	std::string s(300, 'x');
	text = s.c_str();
	raise(SIGKILL);
}

// Types whose layout the compiler itself asserts: sizes, offsets and alignments in the
// test are those of the assertions here.
#include <cstddef>
#include <string>
#include <vector>

struct mixed {
	char c;
	double d;
	short s;
	int bits : 5, more : 7;
	char text[3];
};
static_assert(sizeof(mixed) == 24 && alignof(mixed) == 8, "");
static_assert(offsetof(mixed, d) == 8 && offsetof(mixed, s) == 16 && offsetof(mixed, text) == 20, "");

struct __attribute__((packed)) tight {
	char c;
	long l;
};
static_assert(sizeof(tight) == 9 && alignof(tight) == 1, "");

struct alignas(64) line {
	char c;
};
static_assert(sizeof(line) == 64 && alignof(line) == 64, "");

union either {
	float f;
	char text[7];
};
static_assert(sizeof(either) == 8 && alignof(either) == 4, "");

enum plain { NONE, ONE, TWO = 2, FOUR = 4 };
enum class scoped : signed char { minus = -1, zero };
namespace space {
enum inner { A = 7 };
}

struct base {
	int b;
	static int shared;
};
int base::shared;
struct derived : base {
	int d;
	derived() : d(0) {}
};
static_assert(sizeof(derived) == 8, "");
struct heavy {
	int n;
	~heavy() {}
};

typedef const volatile mixed *pointer;
typedef int (*function)(long, const char *);
typedef int matrix[2][3];
typedef int derived::*member;
typedef std::vector<std::string> names;

struct all {
	mixed a;
	tight b;
	line c;
	either d;
	plain e;
	scoped f;
	space::inner g;
	derived h;
	heavy i;
	pointer j;
	function k;
	matrix l;
	member m;
	names n;
	bool o;
	char16_t p;
	long double q;
	int &r;
	int &&s;
} *everything;

int main() { return everything != nullptr; }

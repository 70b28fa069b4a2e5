// Methods and functions for debuggers to call.
#include <cstdio>
#include <string>
#include <vector>

namespace app {
struct shape {
	int id = 7;
	virtual ~shape() {}
	virtual double area(double scale) const { return 0 * scale; }
	int twice() const { return 2 * id; }
};
struct tag { long label = 11; long read() { return label; } };
struct square : tag, shape {
	double side = 3;
	double area(double scale) const override { return side * side * scale; }
	int more(int n) { return n + 1; }
	double more(double x) { return x + 0.5; }
	static int fixed(int n) { return n * 100; }
};
int plus(int a, int b) { return a + b; }
double plus(double a, double b) { return a + b; }
int increment(int &n) { return ++n; }
struct pair { int a, b; };
pair made(int a) { return {a, a + 1}; }
}

int main() {
	app::square s;
	app::shape *base = &s;
	int n = 5;
	std::vector<int> v{1, 2, 3};
	std::string text = "abc";
	printf("%g %d %d %d %d %zu %s\n", base->area(1), s.more(1), (int)s.more(1.0), app::square::fixed(1), // one line
		app::plus(1, 2) + (int)app::plus(1.0, 2.0) + app::increment(n) + app::made(1).a + (int)s.read() + s.twice(), v.size(), text.c_str()); //break:here
	return 0;
}

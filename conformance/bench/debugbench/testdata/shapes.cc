// shapes is twelve frames deep in C++ that has references, templates, virtual
// functions and containers, and works for ever.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <sys/prctl.h>
#include <vector>

namespace shapes {

struct Shape {
	virtual ~Shape() = default;
	virtual double area() const = 0;
};

struct Square final : Shape {
	explicit Square(double side) : side(side) {}
	double area() const override { return side * side; }
	double side;
};

volatile double sum;

__attribute__((noinline)) void tick(double area) { sum = sum + area; }

template <typename T> __attribute__((noinline)) void leaf(const T &shape, int depth)
{
	std::string name = "square";
	std::vector<int> counts(8, depth);
	std::unique_ptr<Shape> own = std::make_unique<T>(shape);
	int64_t rounds = 0;
	for (;;) {
		for (auto &count : counts)
			count += static_cast<int>(name.size());
		tick(own->area() + static_cast<double>(++rounds));
	}
}

template <typename T> __attribute__((noinline)) int deep(const T &shape, int left)
{
	if (left == 0) {
		leaf(shape, left);
		return 0;
	}
	return deep(shape, left - 1) + left;
}

} // namespace shapes

int main()
{
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	std::puts("ready");
	std::fflush(stdout);
	return shapes::deep(shapes::Square(2), 11);
}

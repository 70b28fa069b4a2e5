// A program that nobody catches the exception of.
#include <stdexcept>
#include <string>
#include <vector>

namespace app {
struct base {
	virtual ~base() = default;
	virtual int run(int n) = 0;
	int id = 5;
};

struct worker : base {
	std::vector<int> seen{1, 2, 3};
	int run(int n) override
	{
		long square = static_cast<long>(n) * n;
		seen.push_back(n);
		if (n == 0)
			throw std::runtime_error("no more");
		return run(n - 1) + static_cast<int>(square);
	}
};
}

int main()
{
	app::worker w;
	int answer = 42;
	return w.run(2) + answer;
}

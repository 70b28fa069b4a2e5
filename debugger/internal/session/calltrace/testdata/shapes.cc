// Virtual calls, exceptions that are caught here and further out, references.
#include <stdexcept>

struct shape {
	virtual int area() const = 0;
	virtual ~shape() {}
};

struct square : shape {
	int side;
	explicit square(int s) : side(s) {}
	int area() const override { return side * side; }
};

struct strip : shape {
	int length;
	explicit strip(int l) : length(l) {}
	int area() const override
	{
		if (length < 0)
			throw length;
		return length;
	}
};

static int checked(const shape &s)
{
	int got = 0;
	try {
		got = s.area();
	} catch (int bad) {
		got = -bad * 100;
	}
	return got;
}

static int twice(const shape &s) { return 2 * s.area(); }

static int both(const shape &a, const shape &b)
{
	int sum = checked(a);
	sum += checked(b);
	try {
		sum += twice(b);
	} catch (...) {
		sum++;
	}
	return sum;
}

int main()
{
	square a(4);
	strip b(-2);
	return both(a, b) == 0;
}

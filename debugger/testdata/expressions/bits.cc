// Bit-fields and enumerations with a sign. Each line of the output is an expression and
// its value, as the compiler has computed it.
#include <cstddef>
#include <cstdio>

enum class Step : signed char { low = -4, none = 0, high = 3 };
enum Plain { minus = -2, zero = 0, one = 1 };
enum class Wide : unsigned char { big = 200 };
struct Signs {
	Step whole;
	Step part : 4;
	Plain p;
	Plain q : 3;
	Wide w;
} s = {Step::low, Step::low, minus, minus, Wide::big};

struct Shop {
	long total;
	long count;
	unsigned open : 1;
	unsigned kind : 3;
	unsigned split : 9;
	unsigned : 0;
	unsigned far : 7;
} shop;

__attribute__((noinline)) static void opens() { shop.open = 1; }
__attribute__((noinline)) static void kinds() { shop.kind = 5; }
__attribute__((noinline)) static void splits() { shop.split = 300; }
__attribute__((noinline)) static void fars() { shop.far = 77; }
__attribute__((noinline)) static void adds(long n) { shop.total += n; }

static Shop *made = new Shop();
static volatile unsigned taken, mixed, chosen;
static volatile long given = 0x1234567a;
__attribute__((noinline)) static void fills() { made->kind = given; }
__attribute__((noinline)) static void raises() { made->kind += 1; }
__attribute__((noinline)) static void takes() { taken = shop.split; }
__attribute__((noinline)) static void mixes() { mixed = made->kind; }
__attribute__((noinline)) static void chooses()
{
	register unsigned r asm("ebx") = given;
	asm volatile("movb $7, %b0" : "+q"(r));
	asm volatile("andl $0xff00, %0" : "+q"(r));
	chosen = r;
}

__attribute__((noinline)) static void marker() { asm volatile(""); }

int main()
{
	opens();
	kinds();
	splits();
	fars();
	adds(7);
	made->split = 9;
	fills();
	made->far = 5;
	raises();
	made->open = 1;
	takes();
	mixes();
	chooses();
	std::printf("(int)s.whole\t%d\n(int)s.part\t%d\n(int)s.p\t%d\n(int)s.q\t%d\n(int)s.w\t%d\n", (int)s.whole, (int)s.part, s.p, s.q, (int)s.w);
	std::printf("s.whole == Step::low\t%s\ns.part == Step::low\t%s\n", s.whole == Step::low ? "true" : "false", s.part == Step::low ? "true" : "false");
	std::printf("s.p < 0\t%s\ns.q < 0\t%s\ns.p == minus\t%s\ns.q == minus\t%s\n", s.p < 0 ? "true" : "false", s.q < 0 ? "true" : "false",
		s.p == minus ? "true" : "false", s.q == minus ? "true" : "false");
	std::printf("minus + 0\t%d\n-minus\t%d\n(int)Step::low\t%d\n(int)Wide::big\t%d\n", minus + 0, -minus, (int)Step::low, (int)Wide::big);
	std::printf("s.w == 200\t%s\none\tone\n(Plain)(minus + 3)\tone\n", s.w == Wide::big ? "true" : "false");
	std::printf("shop.kind\t%d\nshop.split\t%d\nshop.far\t%d\n", shop.kind, shop.split, shop.far);
	marker();
	return 0;
}

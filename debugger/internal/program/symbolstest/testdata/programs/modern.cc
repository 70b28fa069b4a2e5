// Types of the C++ library beside containers, wide strings, and classes behind
// pointers to their bases; the test stops in marker.
#include <bitset>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <variant>

namespace app {
struct Shape { virtual ~Shape() {} virtual int area() const = 0; };
struct Named { int tag = 3; virtual const char *name() const { return "named"; } virtual ~Named() {} };
struct Square : Shape { int side; explicit Square(int s) : side(s) {} int area() const override { return side * side; } };
struct Label : Shape, Named { int size = 8; int area() const override { return size; } };
template <class T> struct Box : Shape { T held; explicit Box(T t) : held(t) {} int area() const override { return 1; } };
struct Empty {};
}

static int twice(int v) { return v * 2; }
struct Adder { int by; int operator()(int v) const { return v + by; } };

__attribute__((noinline)) void marker(const void *p) { __asm__ volatile("" ::"r"(p) : "memory"); }

__attribute__((noinline)) int leaf(app::Shape *shape, app::Named *second, const app::Shape &ref) {
    std::variant<int, std::string, double> number = 5;
    std::variant<int, std::string, double> text = std::string("abc");
    std::variant<std::monostate, int> nothing;
    std::tuple<int, std::string, double> three{1, "x", 2.5};
    std::tuple<> none;
    std::tuple<app::Empty, int, app::Empty> sparse{app::Empty{}, 7, app::Empty{}};
    std::bitset<12> bits(0b101100000011);
    std::bitset<100> many;
    many.set(99).set(0);
    std::function<int(int)> plain = twice;
    std::function<int(int)> object = Adder{4};
    std::function<int(int)> unset;
    std::u16string sixteen = u"gr\u00fc\u00df \U0001F600";
    std::u32string thirtytwo = U"\u263a!";
    std::wstring wide = L"wide";
    std::u16string_view seen = u"seen";
    wchar_t letter = L'w';
    std::unique_ptr<app::Shape> owned(new app::Square(6));
    app::Shape *boxed = new app::Box<int>(9);
    app::Shape *gone = nullptr;
    marker(&number);
    marker(&text);
    marker(&nothing);
    int sum = std::get<0>(three) + (int)bits.count() + (int)many.count() + plain(1) + object(2) + (unset ? 1 : 0);
    sum += (int)sixteen.size() + (int)thirtytwo.size() + (int)wide.size() + (int)seen.size() + (int)letter + boxed->area();
    marker(&none);
    marker(&sparse);
    marker(gone);
    return sum + shape->area() + second->tag + ref.area() + owned->area();
}

int main() {
    app::Square square(2);
    app::Label label;
    return leaf(&square, &label, label) & 1;
}

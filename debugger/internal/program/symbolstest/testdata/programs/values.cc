// Variables of every sort that C++ has; the test stops in marker.
#include <cstdio>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace app {
struct Base { virtual ~Base() {} int id = 7; };
struct Left : virtual Base { int l = 1; };
template <class T> struct Box : Base { T value; explicit Box(T v) : value(v) {} static int boxes; };
template <class T> int Box<T>::boxes = 4;
enum class Mode : unsigned char { Off, On = 3 };
enum Plain { First, Second };
int counter = 5;
}
thread_local int per_thread = 78;

__attribute__((noinline)) void marker(const void *p) { __asm__ volatile("" : : "r"(p) : "memory"); }

__attribute__((noinline)) int leaf(const std::string &name, app::Box<double> &&box, int *p) {
    int count = 42;
    int &ref = count;
    std::vector<int> v = {1, 2, 3};
    std::vector<bool> bits = {true, false, true};
    std::vector<std::string> words = {"one", "two"};
    std::string text = "hello";
    std::string longer(40, 'x');
    std::string_view view = "seen";
    std::map<int, int> m = {{1, 2}, {3, 4}, {5, 6}};
    std::map<std::string, double> prices = {{"a", 1.5}, {"b", 2.5}};
    std::set<long> s = {9, 7, 8};
    std::unordered_map<int, int> h = {{10, 20}};
    std::list<int> l = {4, 5};
    std::unique_ptr<int> up(new int(8));
    std::shared_ptr<int> sp = std::make_shared<int>(9);
    std::optional<int> some = 6, none;
    app::Mode mode = app::Mode::On;
    app::Plain plain = app::Second;
    app::Left left;
    char16_t wide = u'é';
    char32_t smile = U'☺';
    const char *cs = "abc";
    bool ok = true;
    int (*fn)(const char *) = puts;
    int app::Base::*mp = &app::Base::id;
    union { int i; float f; } u = {1};
    int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
    auto lambda = [&](int k) { marker(&k); return k + count; };
    per_thread++;
    int r = lambda(3);
    marker(&count); // stop: leaf
    return r + (int)name.size() + (int)box.value + *p + ref + v[0] + bits[0] + (int)words.size() + (int)text.size() + (int)longer.size() + (int)view.size()
        + (int)m.size() + (int)prices.size() + (int)s.size() + (int)h.size() + (int)l.size() + *up + *sp + *some + none.has_value() + (int)mode + plain + left.l
        + wide + (int)smile + cs[0] + ok + (fn != 0) + box.*mp + u.i + grid[0][1] + app::counter + app::Box<double>::boxes;
}

int main() {
    int x = 5;
    return leaf("name", app::Box<double>(2.5), &x) & 1;
}

// Elements of containers by their indices and keys. Each line of the output is an
// expression and its value; the variables are in sight from where marker is called.
#include <array>
#include <cstdio>
#include <cstring>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace app {
struct Point { int x, y; };
enum class Color : unsigned char { Red, Green = 200 };
struct Shorter { bool operator()(const std::string &a, const std::string &b) const { return a.size() < b.size(); } };
struct Late { bool operator()(int a, int b) const { return (a ^ 5) < (b ^ 5); } };
struct alignas(64) Wide { int n; };
struct __attribute__((packed)) Tight { char c; long double n; };
struct Big { char bytes[600]; int n; };
}

__attribute__((noinline)) void marker(const void *p) { __asm__ volatile("" : : "r"(p) : "memory"); }

#define SAY(e) std::printf("%s\t%lld\n", #e, (long long)(e))
#define IS(e) std::printf("%s\t%s\n", #e, (e) ? "true" : "false")
#define COUNT(name) std::printf("len(%s)\t%zu\n", #name, name.size())

// loop makes a tree that leads only to itself and says that it has no end.
template <class M> M *loop() {
    M *m = new M{{1, 2}, {3, 4}, {5, 6}};
    char *head = (char *)m + 8, *root;
    std::memcpy(&root, head + 8, 8);
    std::memcpy(root + 16, &root, 8);
    std::memcpy(root + 24, &root, 8);
    std::memset(head + 32, 0x70, 8);
    return m;
}

__attribute__((noinline)) int look(const std::vector<int> &given, std::map<std::string, int> &byName, const std::array<int, 3> &fixed) {
    std::map<int, app::Point> points;
    std::map<int, int, std::greater<int>> falling;
    std::map<int, int, std::greater<>> anyFalling{{1, 10}, {2, 20}};
    std::map<int, int, std::less<>> anyRising{{1, 10}, {2, 20}};
    std::map<std::string, int, app::Shorter> byLength{{"a", 1}, {"bb", 2}, {"ccc", 3}, {"dddd", 4}, {"eeeee", 5}};
    std::map<int, int, app::Late> late;
    std::map<unsigned long, const char *> top{{1ul << 63, "top"}, {0, "zero"}};
    std::map<signed char, int> tiny{{-3, 1}, {3, 2}};
    std::map<std::string_view, std::map<int, std::string>> nested{{"n", {{4, "four"}}}};
    std::map<app::Color, int> colors{{app::Color::Red, 7}, {app::Color::Green, 8}};
    std::map<bool, int> bools{{true, 9}};
    std::map<int, int> none;
    std::map<double, int> halves{{0.5, 1}};
    std::map<const int *, int> addresses{{&given[0], 11}};
    std::map<const char *, int> letters{{"one", 1}, {"two", 2}};
    std::map<const char *, int> digits;
    const char *digit = "zero\0one\0two\0three\0four\0five\0six\0seven\0eight\0nine";
    for (int i = 0; i < 10; i++, digit += std::strlen(digit) + 1) digits[digit] = i;
    std::unordered_map<int, long double> exact{{1, 1.5L}, {2, 2.5L}};
    std::unordered_map<int, __int128> huge{{1, 11}, {2, 22}};
    std::unordered_map<char, app::Tight> tight{{'a', {'b', 3}}};
    std::unordered_map<int, app::Wide> spaced{{1, {111}}, {2, {222}}};
    std::map<int, app::Wide> apart{{1, {111}}, {2, {222}}};
    std::list<app::Wide> chain{{5}, {6}};
    std::unordered_map<std::string, app::Point> hashed{{"p", {1, 2}}, {"", {3, 4}}, {"größer", {5, 6}}};
    std::unordered_map<long, int> numbers;
    std::unordered_map<int, int> nothing;
    std::set<int> set{1, 2};
    std::unordered_set<int> unordered{1, 2, 3};
    std::deque<int> queue;
    std::deque<app::Big> blocks;
    std::deque<std::string> words{"one", "two"}, empty;
    std::array<std::string, 2> pair{"left", "right"};
    std::array<int, 0> hollow;
    std::vector<bool> bits;
    std::vector<std::vector<app::Point>> rows{{{1, 2}}, {{3, 4}, {5, 6}}};
    std::string text = "größer";
    std::string_view part = std::string_view(text).substr(1, 3);
    for (int i = 0; i < 1000; i++) {
        points[i * 7 - 3000] = {i, -i};
        falling[i] = i * i;
        late[i] = i + 1;
        numbers[i * 1000003L] = i;
        queue.push_back(i);
        bits.push_back(i % 3 == 0);
    }
    for (int i = 1; i < 300; i++) queue.push_front(-i);
    for (int i = 0; i < 150; i++) queue.pop_front();
    for (int i = 0; i < 5; i++) blocks.push_back({{}, i * 100});
    const auto *where = &given;
    std::unique_ptr<std::set<int>> owned(new std::set<int>{1, 2});
    auto *looped = loop<std::map<int, int>>();
    auto *maze = loop<std::map<int, int, app::Late>>();
    auto *ring = new std::unordered_map<int, int>{{1, 2}};
    char *first;
    std::memcpy(&first, (char *)ring + 16, 8);
    std::memcpy(first, &first, 8);
    std::memset((char *)ring + 24, 0x70, 8);
    SAY(byName["ann"]);
    SAY(byName["größer"]);
    SAY(byName[""]);
    SAY(byName["k500"]);
    SAY(byName[text]);
    SAY(byName[words[0]]);
    SAY(points[4].x);
    SAY(points[-3000].y);
    SAY(points[3993].x + points[-1].x);
    SAY(falling[0]);
    SAY(falling[999]);
    SAY(anyFalling[1]);
    SAY(anyRising[2]);
    SAY(byLength["dddd"]);
    SAY(late[0] + late[777]);
    IS(top[0x8000000000000000] != top[0]);
    SAY(tiny[-3]);
    SAY(tiny[3]);
    IS(nested["n"][4] == "four");
    std::printf("colors[200]\t%d\n", colors[app::Color::Green]);
    SAY(bools[true]);
    SAY(addresses[&given[0]]);
    for (const auto &d : digits) std::printf("digits[\"%s\"]\t%d\n", d.first, d.second);
    IS(exact[1] == 1.5 && exact[2] == 2.5);
    IS(tight['a'].n == 3);
    SAY(spaced[1].n + spaced[2].n);
    SAY(apart[1].n + apart[2].n);
    SAY(hashed["p"].y);
    SAY(hashed[""].x);
    SAY(hashed["größer"].y);
    SAY(numbers[999002997]);
    SAY(numbers[0]);
    SAY(queue[0]);
    SAY(queue[148]);
    SAY(queue[149]);
    SAY(queue[1148]);
    SAY(queue[queue[149] + 600]);
    SAY(blocks[4].n);
    SAY(blocks[0].n);
    IS(words[1] == "two");
    IS(pair[1] == "right");
    SAY(fixed[2]);
    SAY(given[1] + given[2]);
    IS(bits[999]);
    IS(bits[998]);
    IS(bits[64] || bits[63]);
    SAY(rows[1][1].y);
    IS(text[0] == 'g');
    SAY((unsigned char)text[2] + part[0]);
    SAY(queue.size());
    SAY(byName.size() > 3 ? given.size() : 0);
    IS(none.empty());
    IS(!set.empty() && text.length() == 8 && part.size() == 3);
    IS(where->size() == 3 && (*where).size() == 3 && !where->empty());
    SAY(rows[1].size() + owned->size());
    COUNT(byName);
    COUNT(points);
    COUNT(none);
    COUNT(hashed);
    COUNT(nothing);
    COUNT(set);
    COUNT(unordered);
    COUNT(queue);
    COUNT(chain);
    COUNT(blocks);
    COUNT(empty);
    COUNT(pair);
    COUNT(hollow);
    COUNT(fixed);
    COUNT(bits);
    COUNT(rows[1]);
    COUNT(nested["n"]);
    std::fflush(stdout);
    marker(&halves);
    return (int)letters.size() + looped->begin()->first + (int)maze->size() + (int)ring->size() + (int)hollow.size();
}

int main() {
    std::map<std::string, int> byName{{"ann", 3}, {"größer", 4}, {"", 5}, {"one", 6}};
    for (int i = 0; i < 1000; i++) byName["k" + std::to_string(i)] = i * 3;
    return look({21, 22, 23}, byName, {31, 32, 33}) & 1;
}

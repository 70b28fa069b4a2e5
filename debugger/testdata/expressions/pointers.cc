// What smart pointers point to. Each line of the output is an expression and its
// value; the variables are in sight from where marker is called.
#include <cstdio>
#include <memory>
#ifdef __GLIBCXX__
#include <optional>
#endif

namespace app {
struct Part {
    int id;
    std::unique_ptr<Part> next;
    std::shared_ptr<Part> owner;
    virtual ~Part() {}
    Part(int n) : id(n) {}
};
struct Wheel : Part { int size = 26; Wheel(int n) : Part(n) {} };
struct Closer { int closed = 3; void operator()(Part *p) { closed++; delete p; } };
void close(Part *p) { delete p; }
}

__attribute__((noinline)) void marker(const void *p) { __asm__ volatile("" : : "r"(p) : "memory"); }

#define SAY(e) std::printf("%s\t%d\n", #e, (int)(e))
#define IS(e) std::printf("%s\t%s\n", #e, (e) ? "true" : "false")

__attribute__((noinline)) int look(const std::unique_ptr<app::Part> &given, std::shared_ptr<app::Part> *where) {
    std::unique_ptr<int> number(new int(8)), nothing;
    std::unique_ptr<app::Part> part(new app::Part(5));
    std::shared_ptr<app::Part> shared = std::make_shared<app::Part>(6), none;
    std::shared_ptr<app::Wheel> wheel(new app::Wheel(7));
    std::shared_ptr<app::Part> base = wheel;
    std::shared_ptr<int> inner(wheel, &wheel->size);
    std::unique_ptr<app::Part, app::Closer> closing(new app::Part(10));
    std::unique_ptr<app::Part, void (*)(app::Part *)> function(new app::Part(11), app::close);
    std::unique_ptr<int[]> array(new int[3]{21, 22, 23});
    std::unique_ptr<std::unique_ptr<int>> twice(new std::unique_ptr<int>(new int(9)));
    part->next.reset(new app::Part(12));
    part->next->owner = shared;
    const std::shared_ptr<app::Part> &again = shared;
    SAY(*number);
    SAY(*number + 1);
    SAY(part->id);
    SAY((*part).id);
    SAY(part->next->id);
    SAY((*part->next).owner->id);
    SAY(part->next->owner->id * 2);
    SAY(shared->id);
    SAY((*shared).id);
    SAY(again->id);
    SAY((*again).id);
    SAY(wheel->size);
    SAY(wheel->id);
    SAY(base->id);
    SAY(*inner);
    SAY(closing->id);
    SAY(function->id);
    SAY((*function).id);
    SAY(array[2]);
    SAY(**twice);
    SAY(given->id);
    SAY((*given).id);
    SAY((*where)->id);
    IS(part != nullptr);
    IS(nothing == nullptr);
    IS(!none);
    IS(none && none->id == 1);
    IS(shared && shared->id == 6);
    IS(shared == again);
    IS(base != shared);
    IS(&*part == 0);
    IS(sizeof(*part) == sizeof(app::Part));
    SAY(sizeof(part) / sizeof(int *));
#ifdef __GLIBCXX__
    std::optional<app::Wheel *> some = wheel.get();
    std::optional<int> filled = 31, hollow;
    SAY(*filled);
    SAY((*some)->size);
    marker(&hollow);
#else
    marker(&twice);
#endif
    return *number + (nothing != nullptr);
}

int main() {
    std::shared_ptr<app::Part> outside = std::make_shared<app::Part>(14);
    return look(std::unique_ptr<app::Part>(new app::Part(13)), &outside) & 1;
}

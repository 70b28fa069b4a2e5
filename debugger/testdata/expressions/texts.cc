// Texts of C++ compared with each other and with C's. Each line of the output is an
// expression and its value; the variables are in sight from where marker is called.
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace app {
struct Person { std::string name; const char *city; std::u16string wide; };
}

__attribute__((noinline)) void marker(const void *p) { __asm__ volatile("" : : "r"(p) : "memory"); }

#define SAY(e) std::printf("%s\t%s\n", #e, (e) ? "true" : "false")
#define LENGTH(e, value) std::printf("%s\t%zu\n", e, value)

__attribute__((noinline)) std::size_t look(const std::string &name, app::Person &&who, std::string_view view) {
    std::string copy = name, empty, nul("a\0b", 3), large(5000, 'x'), nearly = large;
    nearly.back() = 'y';
    const std::string *where = &copy;
    const char *c = "bob", *none = nullptr;
    char buffer[8] = "bob";
    std::vector<std::string> words = {"one", "two"};
    SAY(name == "bob");
    SAY("bob" == name);
    SAY(name == "bobby");
    SAY(name != "bob");
    SAY(name < "boc");
    SAY(name > "boa");
    SAY(name >= "bob" && name <= "bob");
    SAY(copy == name);
    SAY(copy != empty);
    SAY(copy == view);
    SAY(view == "bob");
    SAY(empty == "");
    SAY(empty == copy);
    SAY(nul == "a");
    SAY(nul > "a");
    SAY(large == nearly);
    SAY(large < nearly);
    SAY(large == "xxx");
    SAY(large != "xxx");
    SAY(*where == "bob");
    SAY(who.name == "ann");
    SAY(who.name == c);
    SAY(copy == c);
    SAY(copy == buffer);
    SAY(words[1] == "two");
    SAY(words[0] < words[1]);
    LENGTH("len(name)", name.size());
    LENGTH("len(view)", view.size());
    LENGTH("len(nul)", nul.size());
    LENGTH("len(large)", large.size());
    LENGTH("len(empty)", empty.size());
    LENGTH("len(words)", words.size());
    LENGTH("len(words[1])", words[1].size());
    LENGTH("sizeof(copy)", sizeof(copy));
    LENGTH("sizeof(name)", sizeof(name));
    LENGTH("sizeof(who.city)", sizeof(who.city));
    LENGTH("sizeof(app::Person)", sizeof(app::Person));
    std::fflush(stdout);
    marker(&copy);
    return copy.size() + empty.size() + nul.size() + large.size() + nearly.size() + where->size() + c[0] + buffer[0] + words.size() + (none != c) + who.wide.size();
}

int main() { return look("bob", app::Person{"ann", "Wien", u"wide"}, "bob") & 1; }

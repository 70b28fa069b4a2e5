// Names that mean several things: which one counts depends on where they are
// seen from. Each has a number of its own.
extern "C" int library(void);

static int here = 1; // names_other.c has one, too
static int map[3] = {2, 2, 2};
int both = 3;

namespace app {
int both = 4;
namespace {
int hidden = 5;
}

struct Base {
    int inherited = 6;
    int both = 7;
    static int shared;
};
int Base::shared = 8;

struct Doc : Base {
    int map = 9;
    int here = 10;
    static int both_;

    __attribute__((noinline)) int add(int here) {
        int sum = map + inherited + here;
        {
            int here = 12;
            sum += here; // stop: inner
        }
        return sum + shared + both_;
    }
};
int Doc::both_ = 13;

__attribute__((noinline)) int plain(int n) {
    return n + both + hidden; // stop: plain
}
}

int main() {
    app::Doc doc;
    int sum = doc.add(11) + app::plain(14);
    return (sum + library() + here + map[0] + both) & 1; // stop: main
}

// container runs in namespaces and a root of its own. It answers each line with what visit
// returns; "again" lets it execute itself.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct crate {
	int weight;
	const char *label;
};

static struct crate crate = {7, "inside"};
long visits;

__attribute__((noinline)) long visit(int n) {
	visits += n; // only inside
	return visits;
}

int main(int argc, char **argv) {
	char line[64];

	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("ready");
	while (fgets(line, sizeof line, stdin) != NULL) {
		if (strcmp(line, "again\n") == 0)
			execv(argv[0], argv);
		printf("%ld %d\n", visit(crate.weight), getpid());
	}
	return 0;
}

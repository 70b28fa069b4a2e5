#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static void *wait_for_ever(void *nothing)
{
	for (;;)
		pause();
	return nothing;
}

int main(int argc, char **argv)
{
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	for (int i = argc > 1 ? atoi(argv[1]) : 1; i > 1; i--) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, wait_for_ever, NULL) != 0)
			return 1;
	}
	puts("ready");
	fflush(stdout);
	wait_for_ever(NULL);
}

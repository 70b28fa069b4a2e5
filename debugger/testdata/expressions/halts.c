// Stops itself, and ends when it goes on.
#include <signal.h>

int main(void)
{
	raise(SIGSTOP);
	return 3;
}

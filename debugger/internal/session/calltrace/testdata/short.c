// Functions that go on in others by the branches that have only short forms.

#define FUNCTION(name, body) ".type " #name ", @function\n" #name ":\n" body "\n.size " #name ", .-" #name "\n"
#define TO(branch) "mov %rdi, %rcx\ncmp %rdi, %rsi\n" #branch " count\nxor %eax, %eax\nret"

asm(".text\n"
	FUNCTION(by_loop, TO(loop))
	FUNCTION(by_loope, TO(loope))
	FUNCTION(by_loopne, TO(loopne))
	FUNCTION(by_jrcxz, TO(jrcxz) "\n.skip 16, 0xcc")
	FUNCTION(count, "lea 1(%rcx), %rax\nret"));

long by_loop(long count, long other), by_loope(long count, long other), by_loopne(long count, long other), by_jrcxz(long count, long other);

int main(void)
{
	long sum = 0;
	for (long n = 0; n < 4; n++)
		sum += by_loop(n, 2) + by_loope(n, 2) + by_loopne(n, 2) + by_jrcxz(n, 2);
	return sum != 11; // 2 + 3 by loop, 2 by loope, 3 by loopne and 1 by jrcxz
}

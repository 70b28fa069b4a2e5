package syntax

// The words of the languages, as their specifications list them, with the types
// that are predeclared or in every program.
const (
	cWords = `_Alignas _Alignof _Atomic _BitInt _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert
		_Thread_local __inline __inline__ asm auto bool break case char char16_t char32_t char8_t const continue
		default do double else enum extern float for goto if inline int int16_t int32_t int64_t int8_t intmax_t
		intptr_t long ptrdiff_t register restrict return short signed size_t sizeof ssize_t static struct switch
		typedef typeof uint16_t uint32_t uint64_t uint8_t uintmax_t uintptr_t union unsigned void volatile wchar_t
		while`

	//nolint:gosec // "static_cast" and "typeid" are no credentials
	cppWords = ` alignas alignof catch class co_await co_return co_yield concept const_cast consteval constexpr
		constinit decltype delete dynamic_cast explicit export final friend mutable namespace new noexcept operator
		override private protected public reinterpret_cast requires static_assert static_cast template thread_local
		throw try typeid typename using virtual`

	objectiveWords = ` BOOL Class IBAction IBOutlet IMP SEL __autoreleasing __block __bridge __strong __weak assign
		atomic autoreleasepool catch copy end finally getter id implementation in inout instancetype interface
		nonatomic out property protocol readonly readwrite release retain selector setter strong synchronized
		synthesize throw try unichar unsafe_unretained weak`

	goWords = `any bool break byte case chan comparable complex128 complex64 const continue default defer else error
		fallthrough false float32 float64 for func go goto if import int int16 int32 int64 int8 interface iota map
		nil package range return rune select string struct switch true type uint uint16 uint32 uint64 uint8 uintptr
		var`

	rustWords = `abstract as async await become bool box break char const continue crate do dyn else enum extern f32
		f64 false final fn for i128 i16 i32 i64 i8 if impl in isize let loop macro match mod move mut override priv
		pub ref return self static str struct super trait true try type typeof u128 u16 u32 u64 u8 union unsafe
		unsized use usize virtual where while yield`

	pythonWords = `False None True and as assert async await break case class continue def del elif else except
		finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield`

	scriptWords = `Infinity NaN async await break case catch class const continue debugger default delete do else enum
		export extends false finally for function if implements import in instanceof interface let new null of
		package private protected public return static super switch this throw true try typeof undefined using var
		void while with yield`

	javaScriptWords = ` abstract boolean byte char double final float goto int long native short synchronized throws
		transient volatile`

	typeScriptWords = ` abstract any as asserts bigint boolean constructor declare from get global infer is keyof
		namespace never number object readonly require satisfies set string symbol type unique unknown`

	javaWords = `abstract assert boolean break byte case catch char class const continue default do double else enum
		extends false final finally float for goto if implements import instanceof int interface long native new
		non-sealed null package permits private protected public record return sealed short static strictfp super
		switch synchronized this throw throws transient true try var void volatile while yield`

	sharpWords = `abstract add as async await base bool break by byte case catch char checked class const continue
		decimal default delegate descending do double dynamic else enum equals event explicit extern false finally
		fixed float for foreach from get global goto group if implicit in init int interface internal into is join
		let lock long namespace new null object on operator orderby out override params partial private protected
		public readonly record ref remove return sbyte sealed select set short sizeof stackalloc static string
		struct switch this throw true try typeof uint ulong unchecked unsafe ushort using value var virtual void
		volatile when where while yield`

	kotlinWords = `abstract actual annotation as break by catch class companion const constructor continue
		crossinline data do dynamic else enum expect external false final finally for fun get if import in infix
		init inline inner interface internal is it lateinit noinline null object open operator out override package
		private protected public reified return sealed set super suspend tailrec this throw true try typealias
		typeof val value var vararg when where while`

	swiftWords = `Protocol Self Type any as associatedtype associativity async await break case catch class continue
		convenience default defer deinit didSet do dynamic else enum extension fallthrough false fileprivate final
		for func get guard if import in indirect infix init inout internal is lazy left let mutating nil none
		nonmutating open operator optional override postfix precedence precedencegroup prefix private protocol
		public repeat required rethrows return right self set some static struct subscript super switch throw throws
		true try typealias unowned var weak where while willSet`

	scalaWords = `abstract case catch class def do else enum export extends false final finally for forSome given if
		implicit import lazy match new null object override package private protected requires return sealed super
		then this throw trait true try type val var while with yield`

	phpWords = `abstract and array as bool break callable case catch class clone const continue declare default die
		do echo else elseif empty enddeclare endfor endforeach endif endswitch endwhile enum eval exit extends false
		final finally float fn for foreach function global goto if implements include include_once instanceof
		insteadof int interface isset iterable list match mixed namespace never new null object or parent print
		private protected public readonly require require_once return self static string switch throw trait true try
		unset use var void while xor yield`

	zigWords = `addrspace align allowzero and anyerror anyframe anyopaque anytype asm async await bool break c_char
		c_int c_long c_longdouble c_longlong c_short c_uint c_ulong c_ulonglong c_ushort callconv catch comptime
		comptime_float comptime_int const continue defer else enum errdefer error export extern f128 f16 f32 f64 f80
		false fn for i128 i16 i32 i64 i8 if inline isize linksection noalias noinline noreturn nosuspend null opaque
		or orelse packed pub resume return struct suspend switch test threadlocal true try type u128 u16 u32 u64 u8
		undefined union unreachable usize usingnamespace var void volatile while`

	dWords = `abstract alias align asm assert auto body bool break byte case cast catch cdouble cent cfloat char class
		const continue creal dchar debug default delegate delete deprecated do double else enum export extern false
		final finally float for foreach foreach_reverse function goto idouble if ifloat immutable import in inout
		int interface invariant ireal is lazy long macro mixin module new nothrow null out override package pragma
		private protected public pure real ref return scope shared short static struct super switch synchronized
		template this throw true try typeid typeof ubyte ucent uint ulong union unittest ushort version void wchar
		wstring dstring string while with`
)

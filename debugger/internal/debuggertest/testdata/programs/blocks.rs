// Blocks allocates and frees by Rust's library.
use std::sync::atomic::{AtomicUsize, Ordering};

static BOXED: AtomicUsize = AtomicUsize::new(0);
static DROPPED: AtomicUsize = AtomicUsize::new(0);
static VECTOR: AtomicUsize = AtomicUsize::new(0);

#[inline(never)]
fn boxed() -> Box<[u64; 20]> {
    Box::new([7; 20])
}

#[inline(never)]
fn forget(b: Box<[u64; 20]>) {
    drop(b)
}

fn main() {
    let kept = boxed();
    BOXED.store(&*kept as *const _ as usize, Ordering::SeqCst);
    let dropped = boxed();
    DROPPED.store(&*dropped as *const _ as usize, Ordering::SeqCst);
    forget(dropped);
    let mut v = vec![1u32; 10];
    v.reserve_exact(990);
    VECTOR.store(v.as_ptr() as usize, Ordering::SeqCst);
    println!("{} {}", kept[3], v.len());
    std::process::abort();
}

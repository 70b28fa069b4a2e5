// A limit that is tested before it is used up: two threads may both pass the test.
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};
use std::thread;

static LEFT: AtomicI64 = AtomicI64::new(50);

fn spend() {
    for _ in 0..100 {
        if LEFT.load(SeqCst) > 0 {
            LEFT.fetch_sub(1, SeqCst);
        }
    }
}

fn main() {
    let other = thread::spawn(spend);
    spend();
    other.join().unwrap();
    if LEFT.load(SeqCst) != 0 {
        std::process::abort();
    }
}

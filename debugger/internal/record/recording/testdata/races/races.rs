// Places that are tested before they are taken: two threads may both take one.
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

static TAKEN: [AtomicBool; 1000] = [const { AtomicBool::new(false) }; 1000];

fn take() -> usize {
    let mut places = 0;
    for taken in &TAKEN {
        if !taken.load(SeqCst) {
            taken.store(true, SeqCst);
            places += 1;
        }
    }
    places
}

fn main() {
    let other = thread::spawn(take);
    let mine = take();
    if mine + other.join().unwrap() != TAKEN.len() {
        std::process::abort();
    }
}

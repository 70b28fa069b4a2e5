// Waits has threads that wait by what Rust's library has for it.
//
// Commands: any; the answer is "waiting".
use std::io::{stdin, BufRead};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{mpsc, Arc, Barrier, Condvar, Mutex, RwLock};
use std::thread;
use std::time::Duration;

static LOCKED: AtomicU32 = AtomicU32::new(0);
static TABLE: RwLock<u32> = RwLock::new(0);

struct Account {
    balance: Mutex<u64>,
}

#[inline(never)]
fn transfer(from: &Account, to: &Account) {
    let mut taken = from.balance.lock().unwrap();
    LOCKED.fetch_add(1, Ordering::SeqCst);
    while LOCKED.load(Ordering::SeqCst) < 2 {} // both have one lock
    let mut given = to.balance.lock().unwrap();
    *taken -= 1;
    *given += 1;
}

fn main() {
    let (a, b) = (Arc::new(Account { balance: Mutex::new(1) }), Arc::new(Account { balance: Mutex::new(2) }));
    let (c, d) = (a.clone(), b.clone());
    thread::spawn(move || transfer(&a, &b));
    thread::spawn(move || transfer(&d, &c));
    thread::spawn(|| {
        let (lock, changed) = (Mutex::new(()), Condvar::new());
        let held = lock.lock().unwrap();
        drop(changed.wait(held));
    });
    let (_sender, receiver) = mpsc::channel::<u32>();
    thread::spawn(move || receiver.recv());
    let (full, _receiver) = mpsc::sync_channel::<u32>(1);
    thread::spawn(move || {
        full.send(1).unwrap();
        full.send(2).unwrap();
    });
    let held = TABLE.write().unwrap();
    thread::spawn(|| TABLE.read().map(|n| *n).unwrap_or(0));
    thread::spawn(|| Barrier::new(2).wait().is_leader());
    thread::spawn(thread::park);
    let sleeper = thread::spawn(|| thread::sleep(Duration::from_secs(1 << 20)));
    thread::spawn(move || sleeper.join());
    println!("ready");
    for _ in stdin().lock().lines() {
        println!("waiting");
    }
    drop(held);
}

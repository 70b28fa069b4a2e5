// collections computes with maps, threads that send messages, and a panic that is caught.
use std::collections::{BTreeMap, HashMap};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::{panic, thread};

fn main() {
    let (send, receive) = mpsc::channel();
    let shared = Arc::new(Mutex::new(HashMap::new()));
    let threads: Vec<_> = (0..4u64)
        .map(|n| {
            let (send, shared) = (send.clone(), Arc::clone(&shared));
            thread::spawn(move || {
                let mut tree = BTreeMap::new();
                for k in 0..3000u64 {
                    tree.insert(k * 7919 % 3001, format!("{k}"));
                    if k % 100 == 0 {
                        *shared.lock().unwrap().entry(k).or_insert(0) += n;
                    }
                }
                let total: usize = tree.values().map(String::len).sum();
                send.send(total as u64 * (n + 1)).unwrap();
            })
        })
        .collect();
    drop(send);
    let sum: u64 = receive.iter().sum();
    for t in threads {
        t.join().unwrap();
    }
    panic::set_hook(Box::new(|_| {}));
    let caught = panic::catch_unwind(|| Vec::<u8>::new()[sum as usize]).is_err();
    println!("{} {} {}", sum, shared.lock().unwrap().values().sum::<u64>(), caught);
}

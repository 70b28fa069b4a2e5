// Containers and shared values of Rust's library; the test stops in marker.
#![allow(dead_code)]

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::fmt::Debug;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Arc, Mutex, RwLock};

#[derive(Debug)]
struct Point { x: i32, y: i32 }
trait Area { fn area(&self) -> i32; }
impl Area for Point { fn area(&self) -> i32 { self.x * self.y } }
struct Square(i32);
impl Area for Square { fn area(&self) -> i32 { self.0 * self.0 } }

#[inline(never)]
#[no_mangle]
pub extern "C" fn marker(p: *const u8) { std::hint::black_box(p); }

#[inline(never)]
fn leaf(borrowed: &dyn Area) -> i32 {
    let one: HashMap<String, i32> = HashMap::from([("one".to_string(), 1)]);
    let many: HashMap<u32, u64> = (0..100).map(|i| (i, i as u64 * i as u64)).collect();
    let empty: HashMap<u8, u8> = HashMap::new();
    let set: HashSet<i64> = HashSet::from([-7]);
    let tree: BTreeMap<i32, &str> = BTreeMap::from([(3, "three"), (1, "one"), (2, "two")]);
    let deep: BTreeMap<u32, u32> = (0..500).map(|i| (i, i * 2)).collect();
    let bare: BTreeMap<u32, u32> = BTreeMap::new();
    let letters: BTreeSet<char> = "hello".chars().collect();
    let mut ring: VecDeque<i32> = VecDeque::with_capacity(4);
    ring.extend([0, 1, 2, 3]);
    ring.pop_front();
    ring.pop_front();
    ring.push_back(4); // behind the end of the buffer, at its start
    let shared = Rc::new(Point { x: 1, y: 2 });
    let again = Rc::clone(&shared);
    let weak = Rc::downgrade(&shared);
    let atomic = Arc::new(5u16);
    let cell = Cell::new(6);
    let free = RefCell::new(vec![1, 2]);
    let lent = RefCell::new(8);
    let guard = lent.borrow();
    let locked = Mutex::new(9);
    let read = RwLock::new(Point { x: 3, y: 4 });
    let flag = AtomicBool::new(true);
    let counter = AtomicU32::new(77);
    let nested: Rc<RefCell<Vec<i32>>> = Rc::new(RefCell::new(vec![10, 20]));
    let boxed: Box<dyn Area> = Box::new(Square(5));
    let debug: &dyn Debug = &*shared;
    let counted: Rc<dyn Area> = Rc::new(Square(6));
    let text: Rc<str> = Rc::from("shared");
    marker(&one as *const _ as *const u8); // stop: leaf
    std::hint::black_box((&one, &many, &empty, &set, &tree, &deep, &bare, &letters, &ring, &shared));
    std::hint::black_box((&again, &weak, &atomic, &cell, &free, &lent, &*guard, &locked, &read, &flag, &counter));
    std::hint::black_box((&nested, &boxed.area(), &debug, &counted.area(), &text));
    borrowed.area()
}

fn main() {
    let p = Point { x: 6, y: 7 };
    std::process::exit((leaf(&p) & 1) as i32);
}

// A program that writes through a null pointer, while a thread sleeps.
use std::thread;
use std::time::Duration;

struct Point {
    x: i32,
    y: i64,
}

#[inline(never)]
fn write(p: *mut i32, point: &Point) -> i64 {
    let doubled = point.x * 2;
    let sum = point.y + doubled as i64;
    unsafe { *p = doubled };
    sum
}

fn main() {
    let _sleeper = thread::spawn(|| thread::sleep(Duration::from_secs(600)));
    thread::sleep(Duration::from_millis(50));
    let point = Point { x: 21, y: 1000 };
    let count: u32 = 7;
    let p = (count as usize - 7) as *mut i32;
    println!("{}", write(p, &point));
}

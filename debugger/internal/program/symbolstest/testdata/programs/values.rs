// Variables of every sort that Rust has; the test stops in marker.
#![allow(dead_code)]

enum Shape { Unit, Circle(f64), Rect { w: i32, h: i32 } }
#[derive(Clone, Copy)]
enum Mode { Off, On = 3 }
struct Point { x: i32, y: i32 }
struct Pair(u8, char);
static mut TOTAL: u64 = 11;

#[inline(never)]
#[no_mangle]
pub extern "C" fn marker(p: *const u8) { std::hint::black_box(p); }

#[inline(never)]
fn leaf(name: &str, p: &Point) -> u64 {
    let count: i32 = 42;
    let tiny: u8 = 200;
    let wide: i128 = -5;
    let real: f32 = 1.5;
    let yes = true;
    let v = vec![1u8, 2, 3];
    let s = String::from("hello");
    let shape = Shape::Rect { w: 3, h: 4 };
    let unit = Shape::Unit;
    let circle = Shape::Circle(1.5);
    let mode = Mode::On;
    let none: Option<Box<i32>> = None;
    let boxed: Option<Box<i32>> = Some(Box::new(6));
    let some = Some(7u32);
    let result: Result<i32, String> = Err("bad".into());
    let tuple = (1u8, 'x', true);
    let pair = Pair(4, 'ß');
    let array = [10i16, 20, 30];
    let slice = &v[..2];
    let nothing = ();
    let done: Result<(), String> = Ok(());
    let words = vec![String::from("one"), String::from("two")];
    marker(&count as *const i32 as *const u8); // stop: leaf
    unsafe { TOTAL = TOTAL.wrapping_add(count as u64) };
    std::hint::black_box((&tiny, &wide, &real, &yes, &shape, &unit, &circle, mode as u8, &none, &boxed, &some, &result));
    std::hint::black_box((&nothing, &done, &tuple.0, &pair.0, &array, slice, &words, &s));
    name.len() as u64 + p.x as u64 + p.y as u64
}

fn main() {
    let p = Point { x: 1, y: 2 };
    std::process::exit((leaf("abc", &p) & 1) as i32);
}

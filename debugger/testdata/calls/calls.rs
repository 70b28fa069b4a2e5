// Functions for debuggers to call.
struct Point { x: i32, y: i32 }

impl Point {
    #[inline(never)]
    fn norm(&self, factor: i32) -> i32 { (self.x * self.x + self.y * self.y) * factor }
}

#[inline(never)]
fn add(a: i32, b: i64) -> i64 { a as i64 + b }

#[inline(never)]
fn scale(a: f64, b: f32, n: u8) -> f64 { a * b as f64 + n as f64 }

#[inline(never)]
fn even(n: u32) -> bool { n % 2 == 0 }

#[inline(never)]
fn made(x: i32) -> Point { Point { x, y: x + 1 } }

fn main() {
    let p = made(3);
    println!("{} {} {} {}", add(1, 2), scale(1.5, 2.0, 3), even(4), p.norm(1)); //break:here
    println!("{}", p.y);
}

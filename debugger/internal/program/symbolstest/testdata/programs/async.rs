// Async functions that wait for each other; the test stops in marker.
use std::future::Future;
use std::pin::{pin, Pin};
use std::task::{Context, Poll, Waker};

struct Once(bool);
impl Future for Once {
    type Output = u32;
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<u32> {
        if self.0 { return Poll::Ready(marker(7)); }
        self.0 = true;
        Poll::Pending
    }
}
#[no_mangle]
#[inline(never)]
pub extern "C" fn marker(n: u32) -> u32 { std::hint::black_box(n) }
async fn inner(price: u32) -> u32 { let count = 3; let got = Once(false).await; got * price + count }
async fn outer(name: &str) -> u32 { let length = name.len() as u32; inner(length).await + 1 }
fn main() {
    let mut task = pin!(outer("order"));
    let mut cx = Context::from_waker(Waker::noop());
    let mut n = 0;
    loop {
        n += 1;
        if let Poll::Ready(v) = task.as_mut().poll(&mut cx) { println!("{v} {n}"); break; }
    }
}

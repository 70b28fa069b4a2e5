// The block of got begins behind the write of its value.
#[inline(never)]
fn pick(from: &[i64], at: usize) -> i64 {
    from[at] * 3
}

#[inline(never)]
fn marker(_: i64) {}

fn main() {
    let from = [5, 6, 7];
    let got = pick(&from, 1);
    marker(got);
}

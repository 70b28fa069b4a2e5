// What boxes and counted pointers point to. Each line of the output is an expression
// and its value; the variables are in sight from where marker is called.
use std::rc::Rc;
use std::sync::Arc;

struct Point { x: i32, ptr: u8, strong: i64 }
struct Node { value: i32, next: Option<Box<Node>>, at: Rc<Point>, name: String }

#[inline(never)]
#[no_mangle]
pub extern "C" fn marker(p: *const u8) { std::hint::black_box(p); }

macro_rules! say {
    ($($e:expr),* $(,)?) => { $(println!("{}\t{}", stringify!($e), $e);)* };
}

#[inline(never)]
fn look(given: &Arc<Point>, node: &Box<Node>) -> i32 {
    let number = Box::new(7i32);
    let counted = Rc::new(8i32);
    let point = Rc::new(Point { x: 1, ptr: 2, strong: 3 });
    let shared = Arc::new(Point { x: 4, ptr: 5, strong: 6 });
    let boxed = Box::new(Point { x: 9, ptr: 10, strong: 11 });
    let nested = Rc::new(Box::new(Arc::new(Point { x: 12, ptr: 13, strong: 14 })));
    let list = vec![Rc::new(Point { x: 15, ptr: 16, strong: 17 })];
    let reference = &point;
    let twice = &reference;
    let text = Rc::new(String::from("text"));
    let plain = &&5i32;
    let items: Box<[i32]> = vec![41, 42].into();
    let rows = &list;
    let array = &[51i16, 52, 53];
    let bytes = &items;
    say!(
        *number, *counted, *counted + 1, point.x, point.ptr, point.strong, (*point).x, shared.x, shared.ptr, (*shared).strong,
        boxed.x, boxed.ptr, (*boxed).strong, nested.x, nested.ptr, (***nested).x, list[0].x, list[0].ptr,
        reference.x, (*reference).ptr, twice.x, given.x, given.strong, node.value, node.at.x, node.at.ptr,
        node.name == "node", **plain, items[1], rows[0].x, array[2], bytes[0],
        text.len(), items.len(), bytes.len(), rows.len(), array.len(), node.name.is_empty(),
    );
    println!("len(items)\t{}", items.len());
    println!("len(rows)\t{}", rows.len());
    println!("len(array)\t{}", array.len());
    marker(&number as *const Box<i32> as *const u8);
    std::hint::black_box((&number, &counted, &point, &shared, &boxed, &nested, &list, &twice, &text, &plain, &items, &rows, &array));
    *number + node.next.is_some() as i32
}

fn main() {
    let point = Rc::new(Point { x: 18, ptr: 19, strong: 20 });
    let node = Box::new(Node { value: 21, next: None, at: point, name: String::from("node") });
    std::process::exit(look(&Arc::new(Point { x: 22, ptr: 23, strong: 24 }), &node) & 1);
}

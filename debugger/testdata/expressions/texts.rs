// Texts of Rust compared with each other. Each line of the output is an expression
// and its value; the variables are in sight from where marker is called.
use std::rc::Rc;
use std::sync::Arc;

struct Person { name: String, city: &'static str }

#[inline(never)]
#[no_mangle]
pub extern "C" fn marker(p: *const u8) { std::hint::black_box(p); }

macro_rules! say {
    ($($e:expr),* $(,)?) => { $(println!("{}\t{}", stringify!($e), $e);)* };
}

#[inline(never)]
fn look(name: &str, who: &Person, owned: &String) -> usize {
    let copy = String::from(name);
    let empty = String::new();
    let twice = &owned;
    let boxed: Box<str> = "box".into();
    let counted: Rc<str> = Rc::from("counted");
    let shared: Arc<str> = Arc::from("shared");
    let words = vec![String::from("one"), String::from("größer")];
    say!(
        name == "bob", name != "bob", name == "bobby", "bob" == name, name < "boc", name > "boc",
        copy == "bob", copy == name, copy != "", empty == "", empty == copy, empty < copy,
        who.name == "ann", who.city == "Wien", who.name < copy, who.city == name,
        owned == "robert", owned != "bob",
        words[1] == "größer", words[0] > words[1], words[0] == "one",
        name.len(), owned.len() + copy.len(), empty.is_empty(), copy.is_empty(), words.len(), words[1].len(), twice.len(), shared.len(),
        who.name.len() == 3 && !who.city.is_empty(),
    );
    println!("twice == \"robert\"\t{}", **twice == "robert");
    println!("boxed == \"box\"\t{}", &*boxed == "box");
    println!("counted == \"counted\"\t{}", &*counted == "counted");
    println!("counted == \"count\"\t{}", &*counted == "count");
    println!("shared == \"shared\"\t{}", &*shared == "shared");
    println!("shared == \"sharee\"\t{}", &*shared == "sharee");
    println!("len(name)\t{}", name.len());
    println!("len(owned)\t{}", owned.len());
    println!("len(twice)\t{}", twice.len());
    println!("len(words)\t{}", words.len());
    println!("len(words[1])\t{}", words[1].len());
    println!("len(shared)\t{}", shared.len());
    println!("sizeof(name)\t{}", std::mem::size_of_val(&name));
    println!("sizeof(copy)\t{}", std::mem::size_of_val(&copy));
    marker(&copy as *const String as *const u8);
    std::hint::black_box((&copy, &empty, &twice, &boxed, &counted, &shared, &words));
    name.len()
}

fn main() {
    let who = Person { name: String::from("ann"), city: "Wien" };
    std::process::exit((look("bob", &who, &String::from("robert")) & 1) as i32);
}

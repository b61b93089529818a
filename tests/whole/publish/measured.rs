//! How many bytes a publication and its updates have. Prints the table of `index-data/PUBLICATION.md`.

use coverdex_core::Cancel;
use coverdex_sandbox::{MadePayer, Shape};
use coverdex_sync::publish::{PackOptions, Packed, pack};
use coverdex_tests::dataset::{build_folder, scratch};

use super::write;

#[test]
#[ignore = "minutes: packs the demonstration's payer four times"]
fn bytes_of_a_publication_and_of_updates() {
    let folder = scratch();
    let at = |name: String| folder.path().join(name);
    let payer = MadePayer::new(Shape::demo());
    let packed = |every: usize, former: Option<usize>| -> Packed {
        let (from, out) = (at(format!("from{every}")), at(format!("public{every}")));
        write(&payer, &from, every);
        let built = build_folder(&from, &at(format!("store{every}")), 2, None).unwrap();
        std::fs::remove_dir_all(&from).unwrap();
        let former = former.map(|former| at(format!("public{former}")));
        let options = PackOptions { series: "Larkspur".to_owned(), former, ..PackOptions::default() };
        pack(&built.folder, &out, false, &options, &Cancel::new()).unwrap()
    };
    let first = packed(0, None);
    let updates = [100, 20, 5].map(|every| packed(every, Some(0)));
    let mut table = "| file | bytes | packed | 1 % | 5 % | 20 % |\n|---|---|---|---|---|---|\n".to_owned();
    let mut sums = [0_u64; 5];
    for (n, file) in first.files.iter().enumerate() {
        let comes = updates.each_ref().map(|update| {
            let file = &update.files[n];
            if file.is_same { 0 } else { file.delta.unwrap_or(file.packed) }
        });
        let figures = [file.length, file.packed, comes[0], comes[1], comes[2]];
        let cells: Vec<String> = figures.iter().map(u64::to_string).collect();
        table += &format!("| `{}` | {} |\n", file.path, cells.join(" | "));
        for (sum, figure) in sums.iter_mut().zip(figures) {
            *sum += figure;
        }
    }
    crate::say(&format!("{table}| all | {} |", sums.map(|sum| sum.to_string()).join(" | ")));
}

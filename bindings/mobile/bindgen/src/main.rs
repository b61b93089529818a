//! Writes Kotlin or Swift from the compiled library: `coverdex-bindgen generate --language kotlin --out-dir DIR LIBRARY`.

fn main() {
    uniffi::uniffi_bindgen_main();
}

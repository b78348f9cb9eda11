// SPDX-License-Identifier: Apache-2.0

//! Policies in Rust through rego.h: compile once, ask for each input.
//!
//!     rustc main.rs $(pkg-config --libs-only-L rego) -l rego && ./main '{"age": 20}'

use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::ptr::{null, null_mut};

/// rego_error: its size comes first, so that a later library knows what it is given.
#[repr(C)]
struct Error {
    struct_size: usize,
    status: i32,
    message: [c_char; 512],
}

extern "C" {
    fn rego_compiler_new(options: *const c_void, out: *mut *mut c_void, error: *mut Error) -> i32;
    fn rego_compiler_free(compiler: *mut c_void);
    fn rego_compiler_add_module(compiler: *mut c_void, name: *const c_char, text: *const c_char,
                                size: usize, error: *mut Error) -> i32;
    fn rego_compile(compiler: *mut c_void, out: *mut *mut c_void, found: *mut *mut c_void,
                    error: *mut Error) -> i32;
    fn rego_policies_free(policies: *mut c_void);
    fn rego_query_new(policies: *const c_void, text: *const c_char, out: *mut *mut c_void,
                      found: *mut *mut c_void, error: *mut Error) -> i32;
    fn rego_query_free(query: *mut c_void);
    fn rego_query_run(query: *const c_void, options: *const c_void, input: *const c_char,
                      size: usize, out: *mut *mut c_void, error: *mut Error) -> i32;
    fn rego_result_is_true(result: *mut c_void) -> c_int;
    fn rego_result_free(result: *mut c_void);
}

const POLICY: &str = "package cinema\ndefault allow := false\nallow if input.age >= 18\n";

fn ask(input: &str, error: &mut Error) -> Result<bool, i32> {
    let check = |status| if status == 0 { Ok(()) } else { Err(status) };
    let (name, query_text) = (CString::new("cinema.rego").unwrap(),
                              CString::new("data.cinema.allow").unwrap());
    let (mut compiler, mut policies) = (null_mut(), null_mut());
    let (mut query, mut result) = (null_mut(), null_mut());
    // Each is freed whatever happens: every _free function accepts NULL.
    unsafe {
        let done = (|| {
            check(rego_compiler_new(null(), &mut compiler, error))?;
            check(rego_compiler_add_module(compiler, name.as_ptr(), POLICY.as_ptr().cast(),
                                           POLICY.len(), error))?;
            check(rego_compile(compiler, &mut policies, null_mut(), error))?;
            check(rego_query_new(policies, query_text.as_ptr(), &mut query, null_mut(), error))?;
            check(rego_query_run(query, null(), input.as_ptr().cast(), input.len(), &mut result,
                                 error))?;
            Ok(rego_result_is_true(result) == 1)
        })();
        rego_result_free(result);
        rego_query_free(query);
        rego_policies_free(policies);
        rego_compiler_free(compiler);
        done
    }
}

fn main() {
    let input = std::env::args().nth(1).expect("an input");
    let mut error = Error { struct_size: std::mem::size_of::<Error>(), status: 0, message: [0; 512] };
    match ask(&input, &mut error) {
        Ok(true) => println!("come in"),
        Ok(false) => println!("stay out"),
        Err(_) => println!("refused: {}",
                           unsafe { CStr::from_ptr(error.message.as_ptr()) }.to_string_lossy()),
    }
}

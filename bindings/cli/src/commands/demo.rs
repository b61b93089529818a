//! `coverdex demo`.

use coverdex_core::Result;

use crate::args::DemoArgs;
use crate::failure::Exit;
use crate::output::Output;

pub(super) fn run(_args: &DemoArgs, _output: Output) -> Result<Exit> {
    Ok(Exit::Usage)
}

//! Reading a payer over the network.

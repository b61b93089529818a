//! Which servers are the payer's own: a reference to another server is no local id.

use std::collections::{BTreeMap, BTreeSet};

use crate::build::intern::Interner;
use crate::model::{Server, Servers};

use super::collect::NONE;

/// What all resources show of servers.
#[derive(Debug, Default)]
pub(super) struct SeenServers {
    own: BTreeSet<Server>,
    hosts: BTreeSet<String>,
    /// Servers that one resource refers to, each list once.
    referred: Interner<Vec<Server>>,
}

impl SeenServers {
    /// Notes what a resource shows; the number of the servers that it refers to, or [`NONE`].
    pub(super) fn take(&mut self, servers: Option<&Servers>) -> u32 {
        let Some(servers) = servers else { return NONE };
        self.own.extend(servers.own.iter().cloned());
        self.hosts.extend(servers.system_hosts.iter().map(|host| host.to_lowercase()));
        if servers.referred.is_empty() {
            return NONE;
        }
        let mut referred = servers.referred.clone();
        referred.sort();
        self.referred.number(referred)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.referred.len() == 0
    }

    /// Hashes of the payer's servers among those that are referred to. `resources` gives for each
    /// resource of the directory the number of its servers, and is asked only where no server is known
    /// to be the payer's: then that one is, which more resources refer to than there are without any.
    pub(super) fn local(&self, resources: impl FnOnce() -> Vec<u32>) -> Vec<u128> {
        let referred: BTreeSet<&Server> = self.referred.values().flatten().collect();
        let is_own = |server: &&Server| self.own.contains(server) || self.hosts.contains(host(server));
        let known: BTreeSet<&Server> = referred.iter().copied().filter(is_own).collect();
        if !known.is_empty() || referred.is_empty() {
            return known.into_iter().map(Server::hash).collect();
        }
        let mut without = 0_u64;
        let mut counts: BTreeMap<&Server, u64> = BTreeMap::new();
        for number in resources() {
            match self.referred.value(number) {
                Some(servers) => servers.iter().for_each(|server| *counts.entry(server).or_default() += 1),
                None => without += 1,
            }
        }
        let most = counts.iter().max_by_key(|(server, count)| (**count, std::cmp::Reverse(**server)));
        most.filter(|(_, count)| **count > without).map(|(server, _)| server.hash()).into_iter().collect()
    }
}

/// The host in front of the path, without a port that is stated.
fn host(server: &Server) -> &str {
    let behind_scheme = server.0.split_once("://").map_or(server.0.as_str(), |(_, rest)| rest);
    behind_scheme.split('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn servers(referred: &[&str], own: &[&str], hosts: &[&str]) -> Servers {
        let all = |texts: &[&str]| texts.iter().map(|text| Server((*text).to_owned())).collect();
        Servers {
            referred: all(referred),
            own: all(own),
            system_hosts: hosts.iter().map(|host| (*host).to_owned()).collect(),
        }
    }

    #[test]
    fn a_server_is_local_by_name_by_host_or_by_being_the_one_referred_to() {
        let hash = |text: &str| Server(text.to_owned()).hash();
        let mut seen = SeenServers::default();
        let first = seen.take(Some(&servers(&["a.test/r4"], &[], &[])));
        let second = seen.take(Some(&servers(&["a.test/r4", "b.test"], &[], &[])));
        assert_eq!(seen.local(|| vec![first, second, NONE]), [hash("a.test/r4")]);
        assert!(seen.local(|| vec![first, NONE]).is_empty(), "as many resources name no server");
        seen.take(Some(&servers(&[], &[], &["B.test"])));
        assert_eq!(seen.local(Vec::new), [hash("b.test")]);
        seen.take(Some(&servers(&[], &["a.test/r4"], &[])));
        assert_eq!(seen.local(Vec::new).len(), 2);
        assert_eq!(seen.take(None), NONE);
    }
}

//! Enums whose variants have a name to type and a sentence that tells what they are.

/// Declares one; each variant is `Variant "name" "sentence";`.
macro_rules! named {
    ($(#[$about_all:meta])* $Enum:ident { $($Variant:ident $name:literal $about:literal;)* }) => {
        $(#[$about_all])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $Enum {
            $(#[doc = $about] $Variant,)*
        }

        impl $Enum {
            /// All of them, in the order of the declaration.
            pub const ALL: &'static [Self] = &[$(Self::$Variant,)*];

            /// The name that [`FromStr`](std::str::FromStr) reads.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$Variant => $name,)* }
            }

            /// What it is, in a sentence or two.
            #[must_use]
            pub const fn about(self) -> &'static str {
                match self { $(Self::$Variant => $about,)* }
            }

            fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.name() == name)
            }

            fn names() -> impl Iterator<Item = String> {
                Self::ALL.iter().map(|one| one.name().to_owned())
            }
        }

        impl std::fmt::Display for $Enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

pub(super) use named;

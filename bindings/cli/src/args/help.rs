//! What `--help` teaches.

pub(super) const ABOUT: &str = "\
Is this drug covered by this plan, in which tier, with which restrictions?

Coverdex puts a health plan's published drug lists and provider directory into one small dataset and answers from it \
with no network. `coverdex sync` reads a payer and makes the dataset, `coverdex build` makes it from files; everything \
else asks it.";

pub(super) const AFTER: &str = "\
First steps:
  coverdex demo                                             see all of it, on a payer that is made up
  coverdex sync --base-url https://fhir.example.com/api --out index-data/current
  coverdex build --from payer/ --out index-data/current     build a dataset of your own
  coverdex plans                                            which plans are there
  coverdex drug lisinop                                     find a drug while typing
  coverdex covered \"lisinopril 10 mg\" --plan H1234-567      is it covered
  coverdex providers --plan H1234-567 --zip 21201           who near is in network

Where answers come from:
  --data PATH, else the folders that COVERDEX_DATA names (separated as in PATH), else index-data/current.
  With several, a plan is answered from the first that has it, and the answer says which.

Exit codes:
  0 answered
  1 asked for something that is not there, or that several things fit
  2 wrong usage
  3 dataset bad or missing, or a file that cannot be read or written
  4 sync incomplete, or the network failed

With --json one JSON document is printed on standard output; an error is
  {\"error\":{\"kind\",\"subject\",\"message\",\"hint\",\"candidates\":[...]}}
NO_COLOR switches colors off.";

#[cfg(feature = "sandbox")]
pub(super) const DEMO: &str = "\
Starts a stand-in payer on a free port of this machine, syncs it as a real one, builds its dataset and answers from it. \
The payer is made up, its drugs are real. Nothing is left running; the dataset stays, so that you can go on asking it.

Examples:
  coverdex demo
  coverdex demo --out demo-store";

pub(super) const BUILD: &str = "\
Files are told apart by what they hold, not by name; what is no resource is counted and left alone. \
A member's own resources, such as Coverage, are counted and never read. The dataset that was live before stays \
live until the new one is complete.

A tier whose code and words do not say whether it is covered is answered with unknown and named at the end. Ask the \
payer and say what it means with --tier, or below [tiers] in the settings file (Z = \"covered\").

Examples:
  coverdex build --from payer/ --out index-data/current
  coverdex build --from payer/ --out store --tier Z=specialty --tier \"Y Call us=not_covered\"
  coverdex build --from payer/ --out store --payer \"Example Health\" --as-of 2026-01-31
  coverdex build --from List.ndjson.gz --out store --threads 1
  coverdex build --from store.staging --out store             what a sync has read, without the network";

pub(super) const EXPORT: &str = "\
Tables are those of the Python package, with the same columns; --json names them and says what each holds. A provider \
with two roles at one place has two rows, as specialty and network hold within one role.

Examples:
  coverdex export plans --parquet plans.parquet
  coverdex export formulary --plan H1234-567 --parquet formulary.parquet
  coverdex export practice_locations --county \"Travis County, TX\" --parquet roles.parquet
  coverdex export practice_locations --plan H1234-567 --state TX --inactive --parquet roles.parquet";

pub(super) const SYNC: &str = "\
What the payer answers is kept in a staging folder, page by page. Interrupted at any point, the same command goes on; \
when it has ended, the same command reads what has changed. Where not everything that was asked for was seen, the exit \
code is 4 and the dataset that was live before stays so; only where there was none, one of what came is built, and it \
answers unknown where something may be missing.

Read are InsurancePlan, List, MedicationKnowledge and Medication for the formulary, and InsurancePlan, PractitionerRole, \
Practitioner, Organization and Location for the directory, with OrganizationAffiliation and HealthcareService where the \
server has them.

A national payer has tens of millions of resources: --dry-run says how many and how long, --plan, --state, --formulary \
and --directory choose a part. The half that is not chosen stays as the dataset has it, with its date. Fewer plans than \
the dataset has go into another store, or --accept-shrink lets them take its place.

Each setting may also stand in the environment (COVERDEX_BASE_URL, COVERDEX_RATE, ...) or in the settings file \
(base-url = \"...\", rate = 4, ...); options go before the environment, and that before the file. Tiers that nothing explains are explained with --tier, or \
below [tiers] in the file (Z = \"covered\").

Where the payer wants to know who asks: --token-url and --client-id with the secret in COVERDEX_CLIENT_SECRET or \
--client-secret-file log the client in by its own credentials, COVERDEX_API_KEY or --api-key-file goes into a header, \
--ca, --client-certificate and --client-key are for TLS. Tokens and keys go to the host of --base-url alone. Files that \
hold a secret must be for you alone (chmod 600).

Examples:
  coverdex sync --base-url https://fhir.example.com/api --out store --dry-run
  coverdex sync --base-url https://fhir.example.com/api --out store --plan H1234-567
  coverdex sync --config payer.toml --out store --state MD --formulary
  coverdex sync --config payer.toml --out store --rate 10 --concurrency 4 --json
  coverdex sync --config payer.toml --out store --client-secret-file payer.secret";

pub(super) const LOGIN: &str = "\
For one thing only: `coverdex my-plans` finds the plan that covers you. Tokens are kept in a file that you alone can \
read, one for each payer, and go to the payer's token address and to Coverage, nowhere else. Nothing of you enters a \
dataset or a log.

The login carries a code challenge (PKCE). If the payer refuses it with invalid_request, --pkce false leaves it off.

The client must be registered with the payer. Its secret is read from COVERDEX_CLIENT_SECRET, from --client-secret-file \
or from the settings file (client-secret = \"...\"), never from the command line.

Examples:
  coverdex login --config payer.toml
  coverdex login --config payer.toml --no-browser";

pub(super) const MY_PLANS: &str = "\
Examples:
  coverdex my-plans --config payer.toml
  coverdex my-plans --config payer.toml --json";

#[cfg(feature = "sandbox")]
pub(super) const SANDBOX: &str = "\
Serves until Ctrl-C and prints what to type meanwhile. Faults and seed decide what goes wrong; the same requests meet \
the same faults. Nothing leaves this machine.

Examples:
  coverdex sandbox
  coverdex sandbox --fault list
  coverdex sandbox --fault firewall-403@Practitioner+Location --fault cursor-expired-410 --seed 7
  coverdex sandbox --port 9000 --size tiny --offer place-search
  coverdex sandbox --need client-login --need api-key
  coverdex sandbox --from payer/";

pub(super) const DRUG: &str = "\
Names may be unfinished or misspelt by one letter, strengths and forms stand in the same box, and one result is one \
name, strength and form with all manufacturers' products.

Examples:
  coverdex drug atorva
  coverdex drug metformin 500 er
  coverdex drug 0378-3855                   the beginning of an NDC is enough
  coverdex drug rxcui:617310                an RxNorm code, also where its digits could be an NDC
  coverdex drug lisinopril --plan H1234-567 --limit 20";

pub(super) const COVERED: &str = "\
Each drug is one argument: quote what has blanks. A drug is resolved once, whatever the plans, and the table says what \
each text was read as. A plan without a year means the year of the data; from October on, the next year is answered \
beside it.

What the answer can be:
  covered, non-formulary (listed, not covered), not listed, mixed, conflict, unknown with its reason,
  ambiguous or not found with what may have been meant.

Examples:
  coverdex covered \"atorvastatin 20 mg\" --plan H1234-567
  coverdex covered \"atorvastatin 20 mg\" \"metformin 500 mg\" 0378-3855-01 --plan H1234-567 H1234-568
  coverdex covered rxcui:617311 --plan H1234-567-000-2026 --json
  coverdex covered \"metformin 500 mg\" --plan H1234-567 --packages
  coverdex covered \"metformin 500 mg\" \"eliquis 5 mg\" --county \"Baltimore city, MD\"
  coverdex covered \"eliquis 5 mg\" --zip 21201 --year 2027 --audience special-needs

With --county or --zip and no plan: every plan that is sold there to individuals in one year, those that cover more of \
the drugs first, then those with fewer prior authorizations and step therapies, then those with fewer unknowns; not by \
cost. With a plan, the place tells which segment is meant.";

pub(super) const OPTIONS: &str = "\
What the plan lists of the same ingredients, in whatever salt, strength, form and release, each told. What is covered \
comes before what is not, then lower tiers, by level: a tier compares inside one plan only. Each option says whether it \
is better, the same, worse or not comparable, and why.

A brand is known to have an ingredient where the payer's text says so. Whether one drug may stand for another is the \
prescriber's decision.

Examples:
  coverdex options lipitor 20 mg --plan H1234-567
  coverdex options 00071015523 --plan H1234-567 --not-listed
  coverdex options metoprolol succinate er 50 mg --plan H1234-567 --zip 21201";

pub(super) const EXPLAIN_DRUG: &str = "\
Each condition in its order: which plan is meant, whether its drug list came, how the drug's text was read and what else \
it could mean, which packages the plan lists, whether their entries count and agree, what makes the tier a covered one, \
and the restrictions. One of them decided.

With --from, the payer's own resources that say so, by type and id, so that an error can be reported to the payer: the \
folder that the dataset was built from, or the staging folder of its sync. It is read once through.

Examples:
  coverdex explain drug eliquis 5 mg --plan H1234-567
  coverdex explain drug 0378-3855-01 --plan H1234-567 --from payer/
  coverdex explain drug \"metformin 500 mg\" --plan H1234-567 --staging index-data/current.staging --json";

pub(super) const PLANS: &str = "\
Examples:
  coverdex plans
  coverdex plans gold plus
  coverdex plans H1234 --year 2026
  coverdex plans --type MA-PD --audience individual
  coverdex plans --county \"Baltimore city, MD\"
  coverdex plans --zip 21771";

pub(super) const COUNTIES: &str = "\
A ZIP may lie in several counties: each with its share of the ZIP's people.

Examples:
  coverdex counties \"Doña Ana, NM\"
  coverdex counties baltimore
  coverdex counties 21771";

pub(super) const PROVIDERS: &str = "\
One result is one provider at one place. Near a county: everyone in it first, then those outside by distance from its \
reference point. What is asked of network, specialty and new patients must hold within one role. Without --plan or \
--network: whatever the network. Without a place: anywhere, by name.

A specialty means its own spellings alone; narrower and similar ones are named, never mixed in. Pharmacies are found by \
--network-kind pharmacy; mail, long-term care and infusion pharmacies stand apart.

Examples:
  coverdex providers --plan H1234-567 --county \"Baltimore city, MD\" --specialty cardiology
  coverdex providers --plan H1234-567 --zip 21201 --within 10mi --network-kind pharmacy
  coverdex providers --network \"https://payer.example/network|3909\" --county 24510 --name \"smi\" --kind individual
  coverdex providers --plan H1234-567 --at 39.29,-76.61 --within-km 15 --accepting
  coverdex providers --plan H1234-567 --state MD --city Frederick --limit 50 --offset 50 --json
  coverdex providers --address \"500 E Benson Blvd, Anchorage AK 99503\"
  coverdex providers --phone \"(602) 230-0777\"";

pub(super) const EXPLAIN_PROVIDER: &str = "\
Asks each condition of a search of one provider and of each of its places, and marks the one that decided. The options are \
those of `coverdex providers`.

Examples:
  coverdex explain provider 1234567893 --plan H1234-567
  coverdex explain provider 1234567893 --plan H1234-567 --zip 21201 --specialty cardiology --accepting
  coverdex explain provider 1234567893 --plan H1234-567 --from staging";

pub(super) const PROVIDER: &str = "\
Every place, role, network and phone that the directory has under any of the provider's NPIs, inactive ones too.

With a plan or a network it also says where the provider stands:
  in network (by which network, of which kind), inactive (the role, the provider or the place is marked so),
  other networks only, not in the directory, no such network (the plan has none of that kind), or unknown.
Directories are incomplete: not being there is no proof of being out of network.

Examples:
  coverdex provider 1234567893
  coverdex provider 1234567893 --plan H1234-567
  coverdex provider 1234567893 --network \"https://payer.example/network|3909\" --json";

pub(super) const INFO: &str = "\
Examples:
  coverdex info
  coverdex info --data store --sizes
  coverdex info --json";

pub(super) const VERIFY: &str = "\
Every file is hashed and compared with the manifest, then SQLite and the search index check themselves. Of a publication \
the signature is looked at, then every packed byte, then what these unpack to. A store keeps the signature that its live \
dataset came with: with --key it is proved again.

Examples:
  coverdex verify
  coverdex verify --data store
  coverdex verify store --key larkspur.pub
  coverdex verify public/ --key larkspur.pub";

pub(super) const PACK: &str = "\
A publication is a folder that any static web server can serve, or one file. Its document names the dataset, a series and \
a number, and every packed file with its hash; sign it, and all of it is proved. A number is never given twice: those who \
have it refuse what is older. With --former an update fetches little: what differs, as a difference, where that is less \
than half.

Examples:
  coverdex pack index-data/current --out public.1 --series Larkspur --expires 45
  coverdex pack index-data/current --out public.2 --series Larkspur --former public.1
  coverdex pack index-data/current --out larkspur.coverdex --series Larkspur --number 7
  coverdex sign public.2 --key larkspur.key";

pub(super) const KEYS: &str = "\
The keys are those of minisign, which can sign and verify in place of this command. The password is asked for, or read \
from COVERDEX_KEY_PASSWORD.

Examples:
  coverdex keys larkspur
  coverdex keys larkspur --no-password";

pub(super) const SIGN: &str = "\
Signs publication.json, which names everything else by its hash. The key must be for you alone (chmod 600); its password \
is asked for, or read from COVERDEX_KEY_PASSWORD.

Examples:
  coverdex sign public.2 --key larkspur.key
  coverdex sign larkspur.coverdex --key larkspur.key";

pub(super) const UPDATE: &str = "\
Asks for the document and its signature first, then fetches what the store does not have. Killed or out of space at any \
moment, what was live stays, and the same command goes on. What is older than what was here, of another series, or was \
rolled back here is refused unless it is named. What has expired is taken, with a note.

Examples:
  coverdex update --from https://example.com/larkspur --store store --key larkspur.pub
  coverdex update --from /media/stick/public.2 --store store --key larkspur.pub
  coverdex update --from https://example.com/larkspur --store store --key larkspur.pub --again";

pub(super) const INSTALL: &str = "\
Every byte is compared with the manifest while it is copied, and the copy must answer before it is live. The dataset that \
was live stays for `coverdex rollback` until the next one comes. Killed or out of space at any moment, it stays live. \
A publication that is signed wants the publisher's key, as `coverdex update` does.

Examples:
  coverdex install /media/stick/v0-3f2a91c07be4d518 --into store
  coverdex install larkspur.coverdex --store store --key larkspur.pub
  coverdex covered \"atorvastatin 20 mg\" --plan H1234-567 --data store";

pub(super) const ROLLBACK: &str = "\
The dataset that was live until then is removed; the one before it is checked first.

Examples:
  coverdex rollback store";

pub(super) const COMPARE: &str = "\
Drugs and providers are typed as the client says them, or read from files, a line each; nothing of them is kept. Plans are \
ranked by drugs covered, then by drugs with prior authorization or step therapy, then by providers in network, then by \
unknowns: not by cost. A drug or provider that fits nothing or several is a row, with what may be meant below.

Examples:
  coverdex compare \"eliquis 5 mg\" \"metformin 500 mg\" --provider 1234567893 --county \"Travis County, TX\"
  coverdex compare --drugs drugs.txt --providers doctors.txt --zip 78701 --beside 2027
  coverdex compare \"eliquis 5 mg\" --plan H1234-567 --plan H1234-568
  coverdex compare --drugs drugs.txt --county 48453 --csv > compared.csv";

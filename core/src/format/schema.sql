-- The tables of coverdex.sqlite, format 0. Numbers in `id` columns are internal: outside the file
-- things are named by NDC-11, plan id, RxNorm code, network system and code. The views at the end
-- are for reading with plain sqlite3.

-- Drugs: what packages there are and how they are found. ------------------------------------------

-- One drug: ingredients, strengths, form group, release, devices. id is the document number in the
-- index drugs/.
-- Its packages are the ids first_package .. first_package + packages - 1.
CREATE TABLE drug_line (
  id            INTEGER PRIMARY KEY,
  name          TEXT NOT NULL,
  strength      TEXT,               -- as the payer writes it; NULL: not stated
  form          TEXT,               -- NULL: not stated
  identity      TEXT NOT NULL,      -- what is compared; fields between |, see FORMAT.md
  brand         TEXT,               -- where the payer states it
  ingredient    TEXT,               -- where the payer states it
  aside         TEXT,               -- words that may be typed and need not be, between blanks
  also          TEXT,               -- lines of identity, tab and text: what the payer calls it elsewhere
  first_package INTEGER NOT NULL,
  packages      INTEGER NOT NULL
) STRICT;

-- One package of the catalogue, or one entry that has no package code.
CREATE TABLE package (
  id         INTEGER PRIMARY KEY,
  line       INTEGER NOT NULL,
  ndc11      INTEGER,               -- eleven digits as a number; NULL: the entry has no package code
  product    INTEGER,               -- nine digits as a number, only where ndc11 is NULL
  layout     INTEGER NOT NULL,      -- ten-digit layout: 0 not shown, 1 4-4-2, 2 5-3-2, 3 5-4-1
  rxnorm_set INTEGER NOT NULL       -- 0: none
) STRICT;

CREATE INDEX package_without_ndc ON package (product) WHERE ndc11 IS NULL;

-- Sets of RxNorm codes; codes is a JSON array of numbers, ascending.
CREATE TABLE rxnorm_set (
  id    INTEGER PRIMARY KEY,
  codes TEXT NOT NULL
) STRICT;

-- Packages of an RxNorm code: ascending package ids as differences, each a LEB128 number.
CREATE TABLE rxnorm (
  code     INTEGER PRIMARY KEY,
  strengths INTEGER NOT NULL,       -- how many strength and form groups it spans; above 1 it names none
  packages BLOB NOT NULL
) STRICT;

-- Arrays that answers are computed from, little-endian.
--   ndc     u64 each, ascending: ndc11 * 2^24 + package id
--   line    u32 each: first_package of every line, then the number of packages
CREATE TABLE array (
  name  TEXT PRIMARY KEY,
  bytes BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Formularies: what a plan lists. ------------------------------------------------------------------

-- A payer's tier. Whether it is covered is decided when the dataset is built, by the rule of
-- core/src/tier.rs or by the publisher's settings; level is a hint, NULL where nothing tells.
CREATE TABLE tier (
  id      INTEGER PRIMARY KEY,
  code    TEXT NOT NULL,
  display TEXT,
  status  TEXT NOT NULL,            -- covered, not_covered, not_understood
  level   TEXT,
  mapped  INTEGER NOT NULL          -- 1: the publisher's settings say what it means
) STRICT;

-- What one entry of a formulary says. Flags: 1 yes, 0 no, NULL not stated.
CREATE TABLE term (
  id                  INTEGER PRIMARY KEY,
  status              TEXT NOT NULL, -- listed, conflict, entry_inactive, unreferenced
  tier                INTEGER,
  prior_authorization INTEGER,
  step_therapy        INTEGER,
  quantity_limit      INTEGER,
  mail_order          INTEGER
) STRICT;

-- The statements that contradict each other in a term of status conflict.
CREATE TABLE term_conflict (
  term     INTEGER NOT NULL,
  position INTEGER NOT NULL,
  says     INTEGER NOT NULL,        -- a term of status listed
  PRIMARY KEY (term, position)
) STRICT, WITHOUT ROWID;

-- A distinct formulary: for package id p the code at byte p * width (width 2: little-endian);
-- 0: not there.
CREATE TABLE formulary (
  id      INTEGER PRIMARY KEY,
  entries INTEGER NOT NULL,
  width   INTEGER NOT NULL,
  codes   BLOB NOT NULL
) STRICT;

-- What a code of a formulary means.
CREATE TABLE formulary_term (
  formulary INTEGER NOT NULL,
  code      INTEGER NOT NULL,
  term      INTEGER NOT NULL,
  PRIMARY KEY (formulary, code)
) STRICT, WITHOUT ROWID;

-- Plans. --------------------------------------------------------------------------------------------

CREATE TABLE plan (
  id          INTEGER PRIMARY KEY,
  plan        TEXT NOT NULL UNIQUE, -- the id in its normal spelling
  year        INTEGER,
  name        TEXT,
  types       TEXT NOT NULL,        -- JSON array of the payer's codes
  audience    TEXT NOT NULL,        -- a hint
  offered     INTEGER NOT NULL,     -- 1: an InsurancePlan describes it
  drugs       TEXT NOT NULL,        -- complete, incomplete, no_list, no_formulary_published, no_drug_benefit, not_synced
  formulary   INTEGER,
  lists       INTEGER NOT NULL,     -- Lists received
  expected    INTEGER NOT NULL,     -- distinct entries that they name
  gaps        INTEGER NOT NULL,     -- of those, absent or quarantined
  quarantined INTEGER NOT NULL,     -- of the gaps, those that came and could not be understood
  lost_networks INTEGER NOT NULL    -- networks that it names by references that lead nowhere
) STRICT;

CREATE TABLE network (
  id     INTEGER PRIMARY KEY,
  system TEXT NOT NULL,             -- as received
  code   TEXT NOT NULL,
  kind   TEXT NOT NULL,             -- pharmacy, vision, medical, unknown
  label  TEXT
) STRICT;

CREATE TABLE plan_network (
  plan    INTEGER NOT NULL,
  network INTEGER NOT NULL,
  PRIMARY KEY (plan, network)
) STRICT, WITHOUT ROWID;

-- Service areas, words as received, and what they were read as: state (a whole state), county,
-- several (a name that fits several counties), unknown. A plan without a row states no area.
CREATE TABLE plan_area (
  plan   INTEGER NOT NULL,
  state  TEXT NOT NULL,
  county TEXT NOT NULL,
  read   TEXT NOT NULL,
  within INTEGER,                   -- FIPS code of the state, where it is known
  PRIMARY KEY (plan, state, county)
) STRICT, WITHOUT ROWID;

-- Counties that a plan is sold in; certain 0: it may be, the name fits several.
-- A former county (Connecticut's) stands under its own code, and its successors as not certain.
CREATE TABLE plan_county (
  fips    INTEGER NOT NULL,
  plan    INTEGER NOT NULL,
  certain INTEGER NOT NULL,
  PRIMARY KEY (fips, plan)
) STRICT, WITHOUT ROWID;

CREATE TABLE plan_link (
  plan    INTEGER NOT NULL,
  what    TEXT NOT NULL,            -- summary, formulary, marketing, email
  address TEXT NOT NULL,
  PRIMARY KEY (plan, what, address)
) STRICT, WITHOUT ROWID;

-- Tiers as a plan's Lists define them; decimals are text, coinsurance a fraction of one.
CREATE TABLE plan_tier (
  plan               INTEGER NOT NULL,
  tier               INTEGER NOT NULL,
  mail_order         INTEGER,
  pharmacy           TEXT,
  copay              TEXT,
  copay_option       TEXT,
  coinsurance        TEXT,
  coinsurance_option TEXT
) STRICT;

-- The sync report. ----------------------------------------------------------------------------------

-- received = used + folded + quarantined + of_no_use, distinct resources.
CREATE TABLE report (
  resource    TEXT PRIMARY KEY,
  received    INTEGER NOT NULL,
  used        INTEGER NOT NULL,
  folded      INTEGER NOT NULL,
  quarantined INTEGER NOT NULL,
  of_no_use   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE report_reason (
  resource TEXT NOT NULL,
  outcome  TEXT NOT NULL,           -- folded, quarantined, of_no_use
  reason   TEXT NOT NULL,
  count    INTEGER NOT NULL,
  PRIMARY KEY (resource, outcome, reason)
) STRICT, WITHOUT ROWID;

-- How often each tier is stated: packages of distinct formularies that are listed in it, and plans
-- whose formulary has any.
CREATE TABLE report_tier (
  tier    INTEGER PRIMARY KEY,
  entries INTEGER NOT NULL,
  plans   INTEGER NOT NULL
) STRICT;

-- What a sync saw of the payer: expected and distinct resources by type, plan and network, gaps with
-- the server's status, what is not complete and why. One JSON document; none for a folder of files.
CREATE TABLE sync_report (
  document TEXT NOT NULL
) STRICT;

-- For people with plain sqlite3. ------------------------------------------------------------------

CREATE VIEW v_package AS
SELECT printf('%011d', p.ndc11) AS ndc11, l.name, l.strength, l.form, s.codes AS rxcui
FROM package AS p
JOIN drug_line AS l ON l.id = p.line
LEFT JOIN rxnorm_set AS s ON s.id = p.rxnorm_set;

-- One row for each plan and listed package. The code is read out of the formulary's bytes: instr
-- finds a byte's place among all 256.
CREATE VIEW v_coverage AS
WITH byte(list) AS (
  VALUES (x'000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9fa0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebfc0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadbdcdddedfe0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff')
),
code AS (
  SELECT pl.plan, f.id AS formulary, p.ndc11, p.line,
         instr(byte.list, substr(f.codes, p.id * f.width + 1, 1)) - 1
           + CASE f.width WHEN 2 THEN 256 * (instr(byte.list, substr(f.codes, p.id * f.width + 2, 1)) - 1) ELSE 0 END AS code
  FROM plan AS pl
  JOIN formulary AS f ON f.id = pl.formulary
  CROSS JOIN package AS p
  CROSS JOIN byte
)
SELECT code.plan, printf('%011d', code.ndc11) AS ndc11, l.name, l.strength, l.form, term.status,
       tier.code AS tier, tier.display AS tier_display, tier.status AS tier_status, tier.level,
       term.prior_authorization, term.step_therapy, term.quantity_limit
FROM code
JOIN formulary_term AS ft ON ft.formulary = code.formulary AND ft.code = code.code
JOIN term ON term.id = ft.term
JOIN drug_line AS l ON l.id = code.line
LEFT JOIN tier ON tier.id = term.tier
WHERE code.code > 0;

CREATE VIEW v_sync_type AS
SELECT value ->> 'resource_type' AS resource, value ->> 'expected' AS expected, value ->> 'distinct' AS received,
       value -> 'gaps' AS gaps, value ->> 'complete' AS complete, value -> 'reasons' AS reasons
FROM sync_report, json_each(document, '$.types');

CREATE VIEW v_sync_plan AS
SELECT value ->> 'plan' AS plan, value ->> 'lists' AS lists, value ->> 'expected' AS expected,
       value ->> 'present' AS received, value -> 'gaps' AS gaps, value ->> 'complete' AS complete,
       value -> 'reasons' AS reasons
FROM sync_report, json_each(document, '$.plans');

CREATE VIEW v_sync_network AS
SELECT value ->> 'system' AS system, value ->> 'id' AS id, value ->> 'filtered' AS filtered,
       value ->> 'complete' AS complete, value -> 'reasons' AS reasons
FROM sync_report, json_each(document, '$.networks');

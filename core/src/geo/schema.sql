-- Geography of a dataset: the one definition that builder and reader share.
-- Codes are integers (12086 is FIPS 12086, 601 is ZIP 00601), coordinates 1e-5 degree, lengths meters.

-- States and territories that counties lie in.
CREATE TABLE state (
    fips INTEGER PRIMARY KEY,
    usps TEXT NOT NULL,
    name TEXT NOT NULL
) STRICT;

-- Counties of today (Connecticut: planning regions): full name, reference point, and the distance
-- from it to the farthest border point. The state is fips / 1000.
CREATE TABLE county (
    fips INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    lat_e5 INTEGER NOT NULL,
    lon_e5 INTEGER NOT NULL,
    radius_m INTEGER NOT NULL
) STRICT;

-- Counties that were renamed, merged or divided, one row for each successor.
CREATE TABLE county_former (
    fips INTEGER NOT NULL,
    successor INTEGER NOT NULL,
    name TEXT NOT NULL,
    since INTEGER NOT NULL,
    PRIMARY KEY (fips, successor)
) STRICT, WITHOUT ROWID;

-- Folded names without suffix words, and other spellings, of counties of today and former ones.
CREATE TABLE county_name (
    key TEXT NOT NULL,
    fips INTEGER NOT NULL,
    PRIMARY KEY (key, fips)
) STRICT, WITHOUT ROWID;

-- Counties that touch, by land or water; both directions.
CREATE TABLE county_neighbor (
    fips INTEGER NOT NULL,
    neighbor INTEGER NOT NULL,
    PRIMARY KEY (fips, neighbor)
) STRICT, WITHOUT ROWID;

-- ZIP areas: a point inside, and the county with the largest share of the people.
CREATE TABLE zip (
    zip INTEGER PRIMARY KEY,
    county INTEGER,
    lat_e5 INTEGER,
    lon_e5 INTEGER
) STRICT;

-- ZIP areas in several counties, the largest share first (place 0); shares in 1/10000 of the people.
-- A share of 0 is a county that the area touches and where nobody or nobody counted lives.
CREATE TABLE zip_county (
    zip INTEGER NOT NULL,
    place INTEGER NOT NULL,
    county INTEGER NOT NULL,
    share INTEGER NOT NULL,
    PRIMARY KEY (zip, place)
) STRICT, WITHOUT ROWID;

-- The former counties (Connecticut's) of ZIP areas, in the same way, the single ones too.
CREATE TABLE zip_county_former (
    zip INTEGER NOT NULL,
    place INTEGER NOT NULL,
    county INTEGER NOT NULL,
    share INTEGER NOT NULL,
    PRIMARY KEY (zip, place)
) STRICT, WITHOUT ROWID;

-- For people: counties with text codes and degrees.
CREATE VIEW counties AS
SELECT printf('%05d', county.fips) AS fips, county.name, state.usps AS state,
       lat_e5 / 1e5 AS lat, lon_e5 / 1e5 AS lon, radius_m / 1000.0 AS radius_km
FROM county JOIN state ON state.fips = county.fips / 1000;

-- For people: every ZIP with each of its counties and the share of its people there, 0 to 1.
CREATE VIEW zip_counties AS
SELECT printf('%05d', zip.zip) AS zip, printf('%05d', coalesce(zip_county.county, zip.county)) AS county_fips,
       coalesce(zip_county.share / 1e4, 1.0) AS share, zip.lat_e5 / 1e5 AS lat, zip.lon_e5 / 1e5 AS lon
FROM zip LEFT JOIN zip_county ON zip_county.zip = zip.zip
WHERE zip.county IS NOT NULL;

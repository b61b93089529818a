#!/usr/bin/env python3
"""Makes the geography tables of this folder from public files.

    make.py INPUT_FOLDER OUTPUT_FOLDER

Python 3.11, standard library only. The output depends on the bytes of the inputs alone, and
SOURCES.tsv, which is written beside the tables, holds the hash of every input and output.
README.md describes the tables.
"""

import csv
import hashlib
import json
import math
import sys
import unicodedata
from collections import Counter, defaultdict
from pathlib import Path

ADJACENCY = "county_adjacency2024.txt"
POINTS = "county_centroids_2023_derived.csv"
SHAPES = "us-atlas-2023-counties-10m.topojson.json"
ZIPS_2020 = "zcta_county_2020.csv"
ZIPS_2010 = "zcta_county_2010_shares.csv"
ZIP_POINTS = "zcta_latlon.csv"
TOWNS = "ct-town-to-planning-region.csv"
SSA = "ssa_fips_state_county2017.csv"
PLACES = "us_places_geonames.csv"

# What each input is: (source, licence).
INPUTS = {
    ADJACENCY: ("US Census Bureau, county adjacency 2024", "public domain"),
    POINTS: ("one point for each county, computed from the 2023 county shapes", "ISC (shapes: public domain)"),
    SHAPES: ("US Atlas TopoJSON of the Census Bureau's 2023 county shapes, 1:10,000,000", "ISC (shapes: public domain)"),
    ZIPS_2020: ("US Census Bureau, ZCTA and county pairs 2020", "facts of the Census, public domain"),
    ZIPS_2010: ("US Census Bureau, ZCTA and county pairs 2010 with shares", "CC0"),
    ZIP_POINTS: ("US Census Bureau, one point for each ZCTA 2020", "MIT (facts of the Census)"),
    TOWNS: ("Connecticut towns and planning regions 2022", "MIT"),
    SSA: ("CMS/NBER, SSA and FIPS county codes 2017", "public domain"),
    PLACES: ("GeoNames (geonames.org), populated places of the United States and its territories", "CC BY 4.0"),
}

# Counties that were renamed, merged or divided: (old FIPS, old name, suffix, successors, since).
FORMER = [
    ("02201", "Prince of Wales-Outer Ketchikan", "Census Area", ["02198"], 2008),
    ("02232", "Skagway-Hoonah-Angoon", "Census Area", ["02105", "02230"], 2007),
    ("02261", "Valdez-Cordova", "Census Area", ["02063", "02066"], 2019),
    ("02270", "Wade Hampton", "Census Area", ["02158"], 2015),
    ("02280", "Wrangell-Petersburg", "Census Area", ["02195", "02275"], 2008),
    ("12025", "Dade", "County", ["12086"], 1997),
    ("46113", "Shannon", "County", ["46102"], 2015),
    ("51515", "Bedford", "city", ["51019"], 2013),
    ("51560", "Clifton Forge", "city", ["51005"], 2001),
    ("51780", "South Boston", "city", ["51083"], 1995),
]

# Connecticut's counties ended as Census areas in 2022; which regions they are in comes from the towns.
CONNECTICUT = {
    "09001": "Fairfield", "09003": "Hartford", "09005": "Litchfield", "09007": "Middlesex",
    "09009": "New Haven", "09011": "New London", "09013": "Tolland", "09015": "Windham",
}  # fmt: skip

# Names in use that neither the Census nor CMS has.
USUAL_NAMES = [
    ("11001", "Washington"),
    ("13021", "Macon-Bibb"),
    ("13059", "Athens-Clarke"),
    ("13215", "Columbus-Muscogee"),
    ("13245", "Augusta-Richmond"),
    ("21067", "Lexington-Fayette"),
    ("21111", "Louisville-Jefferson"),
    ("36047", "Brooklyn"),
    ("36061", "Manhattan"),
    ("36085", "Staten Island"),
    ("47037", "Nashville-Davidson"),
]

# Names of places in use, many of them of the mail, that GeoNames has under another name or not at all:
# (state, name, county).
USUAL_PLACES = [
    ("CA", "Granada Hills", "06037"),
    ("CA", "Harbor City", "06037"),
    ("CA", "Newhall", "06037"),
    ("CA", "Pacoima", "06037"),
    ("CA", "Panorama City", "06037"),
    ("CA", "Playa Del Rey", "06037"),
    ("CA", "Porter Ranch", "06037"),
    ("CA", "Rancho Bernardo", "06073"),
    ("CA", "San Ysidro", "06073"),
    ("CA", "Sun Valley", "06037"),
    ("CA", "Tarzana", "06037"),
    ("CA", "Valley Village", "06037"),
    ("GA", "Athens", "13059"),
    ("GA", "Augusta", "13245"),
    ("HI", "Mililani", "15003"),
    ("KY", "Lexington", "21067"),
    ("MA", "Dorchester Center", "25025"),
    ("MA", "Roxbury", "25025"),
    ("MD", "Halethorpe", "24005"),
    ("MD", "Nottingham", "24005"),
    ("MD", "Windsor Mill", "24005"),
    ("MI", "Bloomfield Township", "26125"),
    ("MI", "Commerce Township", "26125"),
    ("MI", "Harrison Township", "26099"),
    ("MI", "Macomb", "26099"),
    ("MI", "Oakland Township", "26125"),
    ("MI", "Shelby Township", "26099"),
    ("MI", "Washington Township", "26099"),
    ("MI", "West Bloomfield", "26125"),
    ("MI", "White Lake", "26125"),
    ("NJ", "Manchester Township", "34029"),
    ("NY", "Breezy Point", "36081"),
    ("NY", "Bronx", "36005"),
    ("NY", "Flushing", "36081"),
    ("NY", "New York", "36061"),
    ("NY", "Oakland Gardens", "36081"),
    ("NY", "Rockaway Park", "36081"),
    ("NY", "Saint Albans", "36081"),
    ("NY", "Setauket", "36103"),
    ("NY", "South Richmond Hill", "36081"),
    ("PA", "Newtown Square", "42045"),
    ("PA", "Upper Darby", "42045"),
    ("PA", "Wynnewood", "42091"),
    ("PR", "Hato Rey", "72127"),
    ("PR", "Rio Piedras", "72127"),
    ("PR", "Santurce", "72127"),
    ("TX", "Kingwood", "48201"),
    ("VA", "Henrico", "51087"),
    ("VA", "North Chesterfield", "51041"),
    ("VA", "Tysons Corner", "51059"),
]

# Places at the line of two counties whose points the coarse shapes put on the wrong side of it: (state, name, county).
# The ZIP areas of their names lie in that county.
AT_THE_LINE = [
    ("MA", "Brookline", "25021"),
    ("NY", "Sidney", "36025"),
]

# How far from a county's shape, in meters, a place may lie that ZIP areas tell to be in it; how near the ZIP area's
# point must be, and how much nearer than that of any ZIP area of the other county.
NEAR_LINE = 500
NEAR_ZIP = 1000
MUCH_NEARER = 2

# How far from its shape, in meters, a city that is a county may have its own point.
NEAR_CITY = 2000

# How many times the people of the others the largest of several places of one name must have to be the one
# that its bare name means.
MUCH_LARGER = 10

EARTH_RADIUS_M = 6_371_008.8
METERS_PER_E5 = 1.111_95
CELL = 20_000  # side of a cell of ZIP points in 1e-5 degree
WHOLE = 10_000  # shares are in hundredths of a percent
NEARLY_WHOLE = 9_990


def e5(degrees):
    """Degrees as an integer in 1e-5 degree, halves away from zero."""
    return int(math.floor(abs(float(degrees)) * 1e5 + 0.5)) * (1 if float(degrees) >= 0 else -1)


def meters(a, b):
    """Great-circle distance of two (lat, lon) in 1e-5 degree."""
    lat1, lon1, lat2, lon2 = (math.radians(v / 1e5) for v in (*a, *b))
    h = math.sin((lat2 - lat1) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return 2 * EARTH_RADIUS_M * math.asin(min(1.0, math.sqrt(h)))


class Shapes:
    """The counties' polygons: rings of (lat, lon) in 1e-5 degree, and the grid they were drawn on."""

    def __init__(self, topology):
        (self.scale_x, self.scale_y), (self.origin_x, self.origin_y) = (
            topology["transform"]["scale"], topology["transform"]["translate"])  # fmt: skip
        self.arcs = topology["arcs"]
        absolute = [self._absolute(arc) for arc in self.arcs]
        self.polygons, self.rings = {}, {}
        for geometry in topology["objects"]["counties"]["geometries"]:
            kind = geometry["type"]
            if kind not in ("Polygon", "MultiPolygon"):
                sys.exit(f"{SHAPES}: {geometry['id']} is a {kind}")
            polygons = [geometry["arcs"]] if kind == "Polygon" else geometry["arcs"]
            self.polygons[geometry["id"]] = polygons
            self.rings[geometry["id"]] = [self._ring(ring, absolute) for polygon in polygons for ring in polygon]

    def _absolute(self, arc):
        x = y = 0
        points = []
        for dx, dy in arc:
            x, y = x + dx, y + dy
            points.append((e5(y * self.scale_y + self.origin_y), e5(x * self.scale_x + self.origin_x)))
        return points

    @staticmethod
    def _ring(arcs, absolute):
        ring = []
        for index in arcs:
            points = absolute[index] if index >= 0 else absolute[~index][::-1]
            ring.extend(points[1:] if ring else points)
        return ring

    def holds(self, fips, point):
        """Whether the point is inside (even-odd rule over all rings)."""
        y, x = point
        inside = False
        for ring in self.rings[fips]:
            for (y1, x1), (y2, x2) in zip(ring, ring[1:]):
                if (y1 > y) != (y2 > y):
                    # x < x1 + (y - y1) * (x2 - x1) / (y2 - y1), in integers
                    left, right = (x - x1) * (y2 - y1), (y - y1) * (x2 - x1)
                    inside ^= left < right if y2 > y1 else left > right
        return inside

    def border_distance(self, fips, point):
        """Meters to the nearest border vertex: enough to tell which of two counties is nearer."""
        return min(meters(point, vertex) for ring in self.rings[fips] for vertex in ring)

    def edge_distance(self, fips, point):
        """Meters to the nearest border, on a plane around the point."""
        shrink, nearest = math.cos(math.radians(point[0] / 1e5)), math.inf
        for ring in self.rings[fips]:
            plane = [((x - point[1]) * shrink * METERS_PER_E5, (y - point[0]) * METERS_PER_E5) for y, x in ring]
            for (ax, ay), (bx, by) in zip(plane, plane[1:]):
                dx, dy = bx - ax, by - ay
                length = dx * dx + dy * dy
                along = max(0.0, min(1.0, -(ax * dx + ay * dy) / length)) if length else 0.0
                nearest = min(nearest, math.hypot(ax + along * dx, ay + along * dy))
        return nearest

    def text(self):
        """The topology as text: see README.md."""
        lines = [f"grid {self.scale_x!r} {self.scale_y!r} {self.origin_x!r} {self.origin_y!r}"]
        lines += ["arc " + " ".join(f"{dx} {dy}" for dx, dy in arc) for arc in self.arcs]
        for fips, polygons in sorted(self.polygons.items()):
            rings = "|".join("/".join(" ".join(map(str, ring)) for ring in polygon) for polygon in polygons)
            lines.append(f"county {fips} {rings}")
        return "\n".join(lines) + "\n"


def rows(folder, name):
    with open(folder / name, encoding="utf-8-sig", newline="") as file:
        yield from csv.DictReader(file)


def read_adjacency(folder):
    """Full names by FIPS, and neighbors (both ways, without itself)."""
    names, neighbors = {}, defaultdict(set)
    for line in (folder / ADJACENCY).read_text(encoding="utf-8").splitlines()[1:]:
        name, fips, other_name, other = line.split("|")
        names[fips], names[other] = name.rsplit(", ", 1)[0], other_name.rsplit(", ", 1)[0]
        if fips != other:
            neighbors[fips].add(other)
            neighbors[other].add(fips)
    return names, neighbors


def read_counties(folder, shapes):
    """(name without suffix, suffix, point, radius) by FIPS, for every county that has a shape."""
    names, neighbors = read_adjacency(folder)
    counties = {}
    for row in rows(folder, POINTS):
        fips, name = row["fips"], row["name"]
        full = names[fips]
        if not full.startswith(name) or fips not in shapes.rings:
            sys.exit(f"{fips}: {name!r} is not the beginning of {full!r}, or it has no shape")
        point = (e5(row["lat"]), e5(row["lon"]))
        radius = max(meters(point, vertex) for ring in shapes.rings[fips] for vertex in ring)
        counties[fips] = (name, full[len(name):].strip(), point, math.ceil(radius))
    neighbors = {f: sorted(n for n in neighbors[f] if n in counties) for f in counties}
    return counties, neighbors


def read_former(folder, counties):
    """Former counties with their successors; Connecticut's by town, most towns first."""
    former = {fips: (name, suffix, successors, since) for fips, name, suffix, successors, since in FORMER}
    towns, regions = [], defaultdict(Counter)
    for row in rows(folder, TOWNS):
        old, region = row["town_fips_2020"].zfill(10)[:5], row["ce_fips_2022"].zfill(5)
        regions[old][region] += 1
        towns.append((row["town_name"], region, old))
    for fips, name in CONNECTICUT.items():
        successors = [r for r, _ in sorted(regions[fips].items(), key=lambda item: (-item[1], item[0]))]
        former[fips] = (name, "County", successors, 2022)
    for fips, (_, _, successors, _) in former.items():
        if not successors or any(s not in counties for s in successors):
            sys.exit(f"former county {fips}: unknown successors {successors}")
    return former, sorted(towns)


def plain(text):
    """Plain letters only, for comparing spellings here; the product has its own, wider folding."""
    return "".join(c for c in unicodedata.normalize("NFKD", text).lower() if "a" <= c <= "z")


def read_aliases(folder, counties):
    """Spellings that CMS or people use and that are not the name itself."""
    aliases = set(USUAL_NAMES)
    for row in rows(folder, SSA):
        fips, spelling = row["fipscounty"], " ".join(row["county"].split())
        if fips not in counties:
            continue
        name, suffix, _, _ = counties[fips]
        bare = spelling.title().removesuffix(" Borough").removesuffix(" Census Area")
        known = (plain(name), plain(f"{name} {suffix}"))
        if plain(spelling) not in known and plain(bare) not in known:
            aliases.add((fips, bare))
    return sorted(aliases)


# Words of place names that are one, as core/src/geo/names.rs folds them.
SAME_WORDS = {
    "saint": "st", "ste": "st", "sainte": "st", "mt": "mount", "ft": "fort",
    "e": "east", "w": "west", "n": "north", "s": "south", "and": "",
}  # fmt: skip


def place_key(name):
    """What spellings of one place name share: `St. Louis` and `Saint Louis`, `Winston-Salem` and `Winston Salem`."""
    letters = "".join(c for c in unicodedata.normalize("NFKD", name).lower() if not unicodedata.combining(c))
    words = "".join(c if c.isalnum() else "" if c in "'\u2019\u02bb" else " " for c in letters).split()
    return "".join(SAME_WORDS.get(word, word) for word in words)


def read_places(folder, counties, shapes, zips):
    """(name, counties): in each state that has a place of the name its county; several of one state where the name
    does not tell which place is meant. And the cities that are counties and have their own point outside their
    shape."""""
    state_of = {}
    for line in (folder / ADJACENCY).read_text(encoding="utf-8").splitlines()[1:]:
        name, fips, _, _ = line.split("|")
        state_of[fips] = name.rsplit(", ", 1)[1]
    boxes = {
        fips: (min(y for y, _ in ring), max(y for y, _ in ring), min(x for _, x in ring), max(x for _, x in ring))
        for fips in counties
        for ring in [[point for ring in shapes.rings[fips] for point in ring]]
    }
    of_state = defaultdict(list)
    for fips in sorted(counties):
        of_state[state_of[fips]].append(fips)

    def county_at(state, point):
        y, x = point
        for fips in of_state[state]:
            south, north, west, east = boxes[fips]
            if south <= y <= north and west <= x <= east and shapes.holds(fips, point):
                return across_line(state, point, fips)
        return min(of_state[state], key=lambda fips: (shapes.border_distance(fips, point), fips))

    def across_line(state, point, fips):
        """The county beside that of the shape, if the place's nearest ZIP area lies wholly there."""
        near = zips.near(point)
        if not near or near[0][1][0][0] == fips or near[0][1][0][1] < NEARLY_WHOLE or near[0][0] > NEAR_ZIP:
            return fips
        other = near[0][1][0][0]
        few = WHOLE - NEARLY_WHOLE
        here = [distance for distance, split in near if any(f == fips and share > few for f, share in split)]
        if state_of[other] != state or (here and near[0][0] * MUCH_NEARER > here[0]):
            return fips
        return other if shapes.edge_distance(other, point) <= NEAR_LINE else fips

    cities = {
        (state_of[fips], place_key(name)): fips for fips, (name, suffix, _, _) in counties.items() if suffix == "city"
    }
    at_the_line = {(state, place_key(name)): fips for state, name, fips in AT_THE_LINE}
    coarse, shown_by_shape = set(), set()

    people, names = defaultdict(Counter), defaultdict(dict)
    for row in rows(folder, PLACES):
        state, name, count = row["state"], " ".join(row["name"].split()), int(row["population"] or 0)
        if state not in of_state or not place_key(name):
            continue
        key = state, place_key(name)
        point = e5(row["lat"]), e5(row["lon"])
        fips = at_the_line.get(key) or county_at(state, point)
        city = cities.get(key)
        if city == fips:
            shown_by_shape.add(city)
        elif city and shapes.edge_distance(city, point) <= NEAR_CITY:
            coarse.add(city)
            fips = city
        people[key][fips] = max(people[key][fips], count)
        names[key[1]][name] = max(names[key[1]].get(name, 0), count)
    for state, name, fips in USUAL_PLACES:
        people[state, place_key(name)][fips] += 0
        names[place_key(name)].setdefault(name, 0)
    places = defaultdict(list)
    for (state, key), known in people.items():
        (first, most), *others = known.most_common()
        much_larger = all(most >= MUCH_LARGER * count and most > 0 for _, count in others)
        places[key] += [first] if much_larger else known
    shown = {key: min(names[key], key=lambda name: (-names[key][name], name)) for key in places}
    named = sorted((shown[key], " ".join(sorted(counties))) for key, counties in places.items())
    return named, sorted(coarse - shown_by_shape)


class ZipTable:
    """ZIP areas: their point, and their counties with the share of their people, the largest first."""

    def __init__(self, folder, counties, former, shapes):
        self.counties, self.former, self.shapes, self.cells = counties, former, shapes, defaultdict(list)
        self.points = {r["GEOID"]: (e5(r["LAT"]), e5(r["LONG"])) for r in rows(folder, ZIP_POINTS)}
        pairs_2020, shares_2010 = defaultdict(set), defaultdict(dict)
        for row in rows(folder, ZIPS_2020):
            pairs_2020[row["zcta"]].add(row["county_fips"])
        for row in rows(folder, ZIPS_2010):
            shares_2010[row["zcta"]][row["county_fips"]] = (
                float(row["share_of_zcta_population_pct"] or 0), float(row["share_of_zcta_land_pct"] or 0))  # fmt: skip
        self.rows = []
        for zip_code in sorted(set(pairs_2020) | set(shares_2010)):
            row = self._row(zip_code, pairs_2020.get(zip_code), shares_2010.get(zip_code, {}))
            if row:
                self.rows.append(row)

    def _row(self, zip_code, pairs, shares):
        point = self.points.get(zip_code)
        if pairs is None:  # an area of 2010 that 2020 no longer has
            pairs = set()
            for fips in shares:
                pairs |= {fips} if fips in CONNECTICUT else self._today(fips)
        old = {f for f in pairs if f in CONNECTICUT}
        if old and pairs - old:
            split = self._split(pairs, point, shares)
            regions = self._regions({f: s for f, s in split if f in old}, point)
            split = self._ordered([(f, s) for f, s in split if f not in old] + regions, point)
            return zip_code, point, split, self._split(old, point, shares)
        if old:
            split = self._split(old, point, shares)
            return zip_code, point, self._ordered(self._regions(dict(split), point), point), split
        pairs = {f for f in pairs if f in self.counties}
        return (zip_code, point, self._split(pairs, point, shares), []) if pairs else None

    def _today(self, fips):
        """The counties that a county of 2010 is in today."""
        return set(self.former[fips][2]) if fips in self.former else {fips} & set(self.counties)

    def _split(self, pairs, point, shares):
        """Shares of the counties in `pairs`: of people in 2010, else of land, else by the point."""
        for kind in (0, 1):
            weights = dict.fromkeys(pairs, 0.0)
            for fips, share in shares.items():
                heirs = [f for f in ({fips} if fips in pairs else self._today(fips)) if f in pairs]
                for heir in heirs:
                    weights[heir] += share[kind] / len(heirs)
            if sum(weights.values()) > 0:
                break
        else:
            at_point = [f for f in pairs if self._holds(f, point)]
            others = len(pairs) - len(at_point)
            weights = dict.fromkeys(pairs, 1.0)
            for fips in at_point[:1]:
                weights[fips] = max(1, others)
        total = sum(weights.values())
        return self._ordered([(f, round(w / total * WHOLE)) for f, w in weights.items()], point)

    def _ordered(self, split, point):
        """Largest share first, then the county of the point, then by FIPS; they add up to the whole."""
        merged = Counter()
        for fips, share in split:
            merged[fips] += share
        ordered = sorted(merged.items(), key=lambda i: (-i[1], not self._holds(i[0], point), i[0]))
        if ordered:
            ordered[0] = (ordered[0][0], WHOLE - sum(share for _, share in ordered[1:]))
        return ordered

    def _holds(self, fips, point):
        return point is not None and fips in self.shapes.rings and self.shapes.holds(fips, point)

    def _regions(self, old, point):
        """Connecticut: the planning regions of a ZIP area, from its point and its old counties.

        The region of the point takes the share of every old county in which it has towns; the share
        of another old county goes to the nearest region that has towns there. No file says more:
        an area that crosses regions inside one old county counts for the region of its point.
        """
        if point is None:
            return []
        regions = sorted({r for f in CONNECTICUT for r in self.former[f][2]})
        nearest = min(regions, key=lambda r: (not self._holds(r, point), self.shapes.border_distance(r, point)))
        split = []
        for fips, share in sorted(old.items()):
            heirs = self.former[fips][2]
            heir = nearest if nearest in heirs else min(
                heirs, key=lambda r: (self.shapes.border_distance(r, point), r))  # fmt: skip
            split.append((heir, share))
        return split

    def near(self, point):
        """The ZIP areas around a point: distance and shares, the nearest first."""
        if not self.cells:
            for _, at, split, _ in self.rows:
                if at:
                    self.cells[at[0] // CELL, at[1] // CELL].append((at, split))
        row, column = point[0] // CELL, point[1] // CELL
        around = [area for y in (-1, 0, 1) for x in (-1, 0, 1) for area in self.cells.get((row + y, column + x), [])]
        return sorted((meters(point, at), split) for at, split in around)

    def text(self):
        lines = ["zip\tlat_e5\tlon_e5\tcounties\tformer_counties"]
        for zip_code, point, split, old in self.rows:
            lat, lon = point if point else ("", "")
            lines.append(f"{zip_code}\t{lat}\t{lon}\t{shares_text(split)}\t{shares_text(old)}".rstrip("\t"))
        return "\n".join(lines) + "\n"


def shares_text(split):
    """`FIPS` alone if it is the whole, else `FIPS:share FIPS:share`."""
    if len(split) == 1:
        return split[0][0]
    return " ".join(f"{fips}:{share}" for fips, share in split)


def table(header, lines):
    return "\n".join(["\t".join(header)] + ["\t".join(map(str, line)) for line in lines]) + "\n"


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    shapes = Shapes(json.loads((source / SHAPES).read_text(encoding="utf-8")))
    counties, neighbors = read_counties(source, shapes)
    former, towns = read_former(source, counties)
    zips = ZipTable(source, counties, former, shapes)
    places, coarse = read_places(source, counties, shapes, zips)
    outputs = {
        "counties.tsv": table(
            ("fips", "name", "suffix", "lat_e5", "lon_e5", "radius_m"),
            ((f, name, suffix, *point, radius) for f, (name, suffix, point, radius) in sorted(counties.items())),
        ),
        "aliases.tsv": table(("fips", "spelling"), read_aliases(source, counties)),
        "former.tsv": table(
            ("fips", "name", "suffix", "since", "successors"),
            ((f, name, suffix, since, " ".join(s)) for f, (name, suffix, s, since) in sorted(former.items())),
        ),
        "neighbors.tsv": table(("fips", "neighbors"), ((f, " ".join(n)) for f, n in sorted(neighbors.items()))),
        "towns-ct.tsv": table(("town", "region", "former_county"), towns),
        "places.tsv": table(("name", "counties"), places),
        "coarse.tsv": table(("fips",), ((fips,) for fips in coarse)),
        "zips.tsv": zips.text(),
        "shapes.txt": shapes.text(),
    }
    target.mkdir(parents=True, exist_ok=True)
    listed = []
    for name, (what, licence) in sorted(INPUTS.items()):
        data = (source / name).read_bytes()
        listed.append(("input", name, len(data), sha256(data), licence, what))
    for name, text in sorted(outputs.items()):
        data = text.encode()
        (target / name).write_bytes(data)
        listed.append(("output", name, len(data), sha256(data), "", ""))
    header = ("kind", "file", "bytes", "sha256", "licence", "source")
    sources = "\n".join(["\t".join(header)] + ["\t".join(map(str, line)).rstrip() for line in listed]) + "\n"
    (target / "SOURCES.tsv").write_text(sources, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()

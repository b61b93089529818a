#!/usr/bin/env python3
"""Derives drugs.tsv.gz from the NDC directory (packages joined with products, tab-separated, gzip).

    python3 make.py NDC_DIRECTORY.tsv.gz [drugs.tsv.gz]

One line a product: NDC, O for over the counter else R, B for a brand else G, names, substances and
strengths in the same order, dosage form, then the packages as SEGMENT=DESCRIPTION joined by |; @ in
a description stands for the package's own NDC; last the route of administration. Lines are ordered
so that every prefix of the file is a usable small catalogue: frequent drugs first, several
labelers, strengths and forms of each.
"""
import collections
import csv
import gzip
import io
import sys

PACKAGES = 72_000
MOST_PACKAGES_OF_A_PRODUCT = 6
SHARE_OF_OTC = 0.07
# Ingredients that people ask for most, so that small catalogues answer everyday questions. The
# generic ones come first by their number of packages anyway.
ASKED_FOR = """apixaban; semaglutide; empagliflozin; sitagliptin phosphate; rivaroxaban; dulaglutide; insulin glargine;
insulin lispro; insulin aspart; adalimumab; levothyroxine sodium; atorvastatin calcium; lisinopril; metformin hydrochloride;
amlodipine besylate; metoprolol succinate; metoprolol tartrate; omeprazole; esomeprazole magnesium; losartan potassium;
albuterol sulfate; gabapentin; hydrochlorothiazide; sertraline hydrochloride; simvastatin; montelukast sodium;
furosemide; pantoprazole sodium; escitalopram oxalate; rosuvastatin calcium; bupropion hydrochloride; trazodone hydrochloride;
tamsulosin hydrochloride; warfarin sodium; clopidogrel bisulfate; prednisone; donepezil hydrochloride; latanoprost;
fluticasone propionate; tiotropium bromide monohydrate; liraglutide; glipizide; carvedilol; duloxetine hydrochloride""".replace("\n", " ")
FREQUENT = {name.strip().upper() for name in ASKED_FOR.split(";")}
UNITS = {"[USP'U]": "unit", "[iU]": "unit", "ug": "mcg", "meq": "mEq", "1": ""}


def unit(text):
    """mg/1 is mg; micrograms and units are spelled as on labels."""
    amount, _, per = text.partition("/")
    amount = UNITS.get(amount, amount)
    return amount if per in ("", "1") else f"{amount}/{per}"


def number(text):
    text = text.strip()
    return "0" + text if text.startswith(".") else text


def strengths(row):
    numbers = [number(n) for n in row["strength_num"].split(";")]
    units = [unit(u.strip()) for u in row["strength_unit"].split(";")]
    if len(numbers) != len(units) or "" in numbers:
        return ""
    return "; ".join(f"{n} {u}".strip() for n, u in zip(numbers, units))


def words(text):
    return " ".join(text.replace("\t", " ").replace("|", "/").split())


def folded(text):
    return "".join(c for c in text.lower() if c.isalnum())


def read(path):
    """Products with their packages, in NDC order."""
    products = {}
    with gzip.open(path, "rt", encoding="utf-8") as source:
        for row in csv.DictReader(source, delimiter="\t", quoting=csv.QUOTE_NONE):
            kind = {"HUMAN PRESCRIPTION DRUG": "R", "HUMAN OTC DRUG": "O"}.get(row["product_type"])
            if kind is None or row["sample_package"] == "Y" or row["ndc11"] >= "90000":
                continue
            if row["dosage_form"] in ("GAS", "") or "POLLEN" in row["substance"] or "HOMEOPATHIC" in row["marketing_category"]:
                continue
            names = words(f"{row['proprietary']} {row['suffix']}"), words(row["nonproprietary"])
            substances, strength = words(row["substance"]), strengths(row)
            if not all(names) or not substances or not strength or len(substances) > 120 or max(map(len, names)) > 60:
                continue
            if substances.count(";") != strength.count(";"):
                continue
            brand = row["marketing_category"] in ("NDA", "BLA") and folded(names[0])[:6] != folded(names[1])[:6]
            product = products.setdefault(row["product_ndc"], {
                "kind": kind, "brand": "B" if brand else "G", "names": names, "substances": substances.upper(),
                "strength": strength, "form": words(row["dosage_form"]).lower(), "route": words(row["route"]).lower(),
                "packages": {},
            })
            description = words(row["package_description"]).replace(f"({row['ndc_hyphen']})", "@")
            if len(product["packages"]) < MOST_PACKAGES_OF_A_PRODUCT and len(description) <= 110:
                product["packages"][row["ndc_hyphen"].rsplit("-", 1)[1]] = description.replace("=", "-")
    return {ndc: p for ndc, p in products.items() if p["packages"]}


def ordered(products):
    """Each drug's products, strengths and forms by turns, in chunks; frequent drugs' chunks early."""
    drugs = collections.defaultdict(lambda: collections.defaultdict(list))
    for ndc, product in products.items():
        drugs[product["substances"]][product["strength"], product["form"], product["brand"]].append(ndc)
    keyed = []
    for substances, lines in drugs.items():
        turns = sorted(lines.values(), key=lambda ndcs: (-len(ndcs), ndcs))
        sequence = []
        for turn in range(max(map(len, turns))):
            sequence += [ndcs[turn] for ndcs in turns if turn < len(ndcs)]
        prescription = sum(products[ndc]["kind"] == "R" for ndc in sequence)
        # The frequent count as often as they are asked for, not as often as they are repackaged.
        weight = max(prescription, 1) ** 0.5 * (8 if substances in FREQUENT else 1)
        for place, ndc in enumerate(sequence):
            keyed.append(((place // 5) / weight, -weight, substances, place, ndc))
    keyed.sort()
    return [ndc for *_, ndc in keyed]


def main():
    source, target = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "drugs.tsv.gz"
    products = read(source)
    text, packages, over_the_counter = io.StringIO(), 0, 0
    for ndc in ordered(products):
        product = products[ndc]
        count = len(product["packages"])
        if product["kind"] == "O":
            if over_the_counter + count > SHARE_OF_OTC * (packages + 40):
                continue
            over_the_counter += count
        packages += count
        if packages > PACKAGES:
            break
        listed = "|".join(f"{segment}={what}" for segment, what in sorted(product["packages"].items()))
        fields = [ndc, product["kind"], product["brand"], *product["names"], product["substances"], product["strength"],
                  product["form"], listed, product["route"]]
        text.write("\t".join(fields) + "\n")
    with open(target, "wb") as out, gzip.GzipFile("", "wb", 9, out, mtime=0) as packed:
        packed.write(text.getvalue().encode())


if __name__ == "__main__":
    main()

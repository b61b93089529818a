"""Writes python/coverdex/_core.pyi: the answers' fields from their lists in src/answers, the rest from _core.pyi.in.

`python stubs.py --check` fails where the file is not what this would write. TYPES says what the types of fields
are; mypy's stubtest compares the result with the module itself.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
STUB = HERE / "python" / "coverdex" / "_core.pyi"

HEAD = (HERE / "src" / "_core.pyi.in").read_text(encoding="utf-8")

TEXTS = "tuple[str, ...]"

# Types of fields by name, and by class and name where one name means several things.
TYPES = {
    "accepting_new_patients": "Accepting | None",
    "address": "str | None",
    "aliases": TEXTS,
    "caveats": TEXTS,
    "better": "int",
    "codes": "Record",
    "conditions": "tuple[Record, ...]",
    "ingredients": "tuple[Record, ...]",
    "not_listed": "int",
    "options": "tuple[Record, ...]",
    "others": "tuple[Record, ...]",
    "provider": "Record",
    "providers": "tuple[Record, ...]",
    "taking": "tuple[Record, ...]",
    ("DrugOptions", "also"): "tuple[DrugOptions, ...]",
    ("Explanation", "also"): "tuple[Explanation, ...]",
    ("Explanation", "sources"): "tuple[Record, ...] | None",
    ("ProviderExplanation", "also"): "tuple[ProviderExplanation, ...]",
    ("ProviderExplanation", "gaps"): "tuple[Record, ...]",
    ("ProviderExplanation", "place"): "Record",
    ("ProviderExplanation", "plan"): "str | None",
    ("ProviderExplanation", "sources"): "tuple[Record, ...] | None",
    ("PlanComparison", "plans"): "tuple[Record, ...]",
    ("PracticingAt", "address"): "Record | None",
    ("PracticingAt", "near"): "tuple[Record, ...]",
    ("PracticingAt", "results"): "tuple[PracticeLocation, ...]",
    "beside": "int | None",
    "only_beside": TEXTS,
    "places": "tuple[Record, ...]",
    "result": "SearchResult",
    "total_active": "int",
    ("NetworkMatrix", "place"): "tuple[Record, ...]",
    ("NetworkMatrix", "plans"): "tuple[Record, ...]",
    ("PlansCovering", "candidates"): "tuple[Record, ...]",
    ("PlansCovering", "place"): "tuple[Record, ...]",
    ("PlansCovering", "plans"): "tuple[Record, ...]",
    ("PlansTaking", "in_doubt"): "tuple[Record, ...]",
    ("PlansTaking", "place"): "tuple[Record, ...]",
    ("DrugPage", "also"): "tuple[DrugPage, ...]",
    ("ProvidersFound", "also"): "tuple[ProvidersFound, ...]",
    ("Provider", "also"): "tuple[Provider, ...]",
    "answers": "tuple[PlanCoverage, ...]",
    "area_unknown": TEXTS,
    "as_of": "str",
    "asked_networks": "tuple[Network, ...] | None",
    "audience": "Audience",
    "brand": "str | None",
    "candidates": "tuple[Candidate, ...]",
    "city": "str | None",
    "closed_door_total": "int",
    "complete": "bool",
    "conflict": "tuple[Statement, ...]",
    "county": "str | None",
    "covered": "int",
    "dataset": "str",
    "differs": "str | None",
    "display": "str | None",
    "distance_km": "float | None",
    "drugs": "tuple[AskedDrug, ...]",
    "expected": "int",
    "fips": "str",
    "form": "str | None",
    "former": "dict[str, Any] | None",
    "formulary": "bool",
    "gaps": "int",
    "gender": "str | None",
    "ignored": TEXTS,
    "in_county": "bool | None",
    "ingredient": "str | None",
    "label": "str | None",
    "languages": TEXTS,
    "level": "TierLevel | None",
    "listed": "int",
    "mail_order": "bool | None",
    "misspelt": "bool",
    "may_be_restricted": "int",
    "mixed": "int",
    "name": "str",
    "ndc11": TEXTS,
    "networks": "tuple[Network, ...]",
    "next": "str | None",
    "not_comparable": "int",
    "not_on_this_list": "int",
    "note": "str | None",
    "notes": TEXTS,
    "offered": "Offered | None",
    "other_audiences": "int",
    "packages": "tuple[Package, ...]",
    "place": "tuple[County, ...]",
    "plan": "str",
    "plan_name": "str | None",
    "plans": "tuple[MatrixPlan, ...]",
    "prior_authorization": "bool | None",
    "product_ndc": "str | None",
    "product_ndcs": TEXTS,
    "quantity_limit": "bool | None",
    "query": "str",
    "ranked_by": "str",
    "read_as": "str | None",
    "reason": "CoverageReason | None",
    "restricted": "int",
    "rxcui": TEXTS,
    "seen_anywhere": "bool",
    "share": "float | None",
    "source": "str",
    "state": "str",
    "status": "CoverageStatus",
    "step_therapy": "bool | None",
    "strength": "str | None",
    "summary": "str",
    "system": "str",
    "tier": "Tier | None",
    "tier_not_understood": "int",
    "tiers": "tuple[Tier, ...]",
    "types": TEXTS,
    "unknown": "int",
    "varies": "Varies | None",
    "without_tier": "int",
    "conflicts": "int",
    "code": "str",
    "id": "str",
    "kind": "NetworkKind",
    "year": "int | None",
    ("Package", "ndc11"): "str | None",
    ("DrugPage", "plan"): "str | None",
    ("DrugPage", "complete"): "bool | None",
    ("DrugPage", "results"): "tuple[DrugLine, ...]",
    ("DrugLine", "packages"): "int",
    ("Plan", "name"): "str | None",
    ("Plan", "type"): "str | None",
    ("Plan", "drugs"): "DrugBenefit",
    ("MatrixPlan", "name"): "str | None",
    ("PlansFound", "results"): "tuple[Plan, ...]",
    ("PlansFound", "area_unknown"): "tuple[Plan, ...]",
    ("CountiesFound", "results"): "tuple[County, ...]",
    "accepting": "tuple[Record, ...]",
    "bytes": "int",
    "closed_door": "bool",
    "counts": "Record",
    "crawl": "Record | None",
    "doubts": "tuple[RoleDoubt, ...]",
    "folder": "str",
    "format": "int",
    "hours": "str | None",
    "in_doubt": "int",
    "inactive": "tuple[Inactive, ...]",
    "inactive_dates": "tuple[Record, ...]",
    "location": "Record | None",
    "locations": "tuple[Record, ...]",
    "nearest_km": "float | None",
    "network_status": "str | None",
    "npi": "str",
    "npi_valid": "bool",
    "offset": "int",
    "other_names": TEXTS,
    "part_times": "Record",
    "parts": TEXTS,
    "phone": "str | None",
    "phone_from": "PhoneFrom | None",
    "phones": TEXTS,
    "place_not_stated": "int",
    "plan_offered": "Offered | None",
    "report": "Record",
    "roles": "tuple[Role, ...]",
    "shared": "bool",
    "shared_role": "bool",
    "similar_names": TEXTS,
    "similar_specialties": "tuple[Record, ...]",
    "sources": "tuple[Record, ...]",
    "specialties": TEXTS,
    "sync": "Record | None",
    "total": "int",
    "total_in_county": "int | None",
    ("CountiesFound", "former"): "Record | None",
    ("PracticeLocation", "kind"): "ProviderKind",
    ("Provider", "aliases"): TEXTS,
    ("Provider", "gaps"): "tuple[Record, ...]",
    ("Provider", "inactive"): TEXTS,
    ("Provider", "kind"): "str | None",
    ("Provider", "name"): "str | None",
    ("Provider", "networks"): "tuple[Record, ...]",
    ("Provider", "plan"): "str | None",
    ("Provider", "reason"): "str | None",
    ("ProvidersFound", "closed_door"): "tuple[PracticeLocation, ...]",
    ("ProvidersFound", "gaps"): "tuple[Record, ...]",
    ("ProvidersFound", "place"): "Record",
    ("ProvidersFound", "plan"): "str | None",
    ("ProvidersFound", "read_as"): TEXTS,
    ("ProvidersFound", "results"): "tuple[PracticeLocation, ...]",
    ("Varies", "prior_authorization"): "tuple[int, int]",
    ("Varies", "step_therapy"): "tuple[int, int]",
    ("Varies", "quantity_limit"): "tuple[int, int]",
}

TABLE = "    def table(self) -> Table: ...\n"
EXTRA = {
    "CoverageMatrix": TABLE,
    "NetworkMatrix": TABLE,
    "PlanComparison": TABLE,
    "DrugLine": "    @property\n    def coverage(self) -> PlanCoverage | None: ...\n",
}


def answers() -> list[tuple[str, list[str]]]:
    """Each answer class and the names of its fields, as the lists in src/answers say."""
    found = []
    for source in sorted((HERE / "src" / "answers").glob("*.rs")):
        text = source.read_text(encoding="utf-8")
        for match in re.finditer(
            r"answer! \{\n(?:    ///[^\n]*\n)*    (\w+)\([^)]*\) \{\n(.*?)\n    \}", text, re.DOTALL
        ):
            fields = re.findall(r"^        (?:r#)?(\w+)(?:\(.*\))?;$", match[2], re.MULTILINE)
            found.append((match[1], fields))
    return found


def written() -> str:
    """The stub file's text."""
    public = ["Cancel", "Dataset", "HAS_SYNC", "Table", "__version__", "build", "open", "sync"]
    public += [name for name, _ in answers()]
    listed = "".join(f'    "{name}",\n' for name in sorted(public))
    text = HEAD.replace("__version__: str\n", f"__all__ = [\n{listed}]\n\n__version__: str\n", 1)
    for name, fields in answers():
        text += f"\n@final\nclass {name}:\n    _fields: ClassVar[tuple[str, ...]]\n"
        for field in fields:
            kind = TYPES.get((name, field)) or TYPES[field]
            text += f"    @property\n    def {field}(self) -> {kind}: ...\n"
        text += EXTRA.get(name, "")
        if "results" in fields:
            item = TYPES[name, "results"].removeprefix("tuple[").removesuffix(", ...]")
            text += "    def __len__(self) -> int: ...\n"
            text += f"    def __getitem__(self, at: Any, /) -> {item}: ...\n"
        text += "    def to_dict(self) -> dict[str, Any]: ...\n"
        text += "    def _repr_html_(self) -> str: ...\n"
        for compare in ("eq", "ne", "lt", "le", "gt", "ge"):
            result = "bool" if compare in ("eq", "ne") else "Any"
            if compare in ("eq", "ne"):
                text += f"    def __{compare}__(self, other: object, /) -> {result}: ...\n"
        text += "    def __copy__(self) -> Self: ...\n    def __deepcopy__(self, _memo: object, /) -> Self: ...\n"
        text += "    def __hash__(self) -> int: ...\n"
    return text


def main() -> int:
    """Write the file, or say whether it is as it should be."""
    if "--check" in sys.argv[1:]:
        if STUB.read_text(encoding="utf-8") != written():
            print(f"{STUB} is not what src/answers says: run stubs.py", file=sys.stderr)
            return 1
        return 0
    STUB.write_text(written(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

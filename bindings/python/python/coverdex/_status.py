"""Statuses and other words of a closed list: each member is its text, so it compares with it and prints as it."""

from enum import Enum


class Word(str, Enum):
    """A text out of a closed list."""

    def __str__(self) -> str:
        """Give the text alone."""
        return str.__str__(self)


class CoverageStatus(Word):
    """Whether a drug is covered."""

    COVERED = "covered"
    NOT_COVERED = "not_covered"
    NOT_LISTED = "not_listed"
    UNKNOWN = "unknown"
    MIXED = "mixed"
    CONFLICT = "conflict"
    AMBIGUOUS = "ambiguous"
    NOT_FOUND = "not_found"


class CoverageReason(Word):
    """Why a drug is unknown or not listed."""

    INCOMPLETE = "incomplete"
    NO_FORMULARY_PUBLISHED = "no_formulary_published"
    NO_DRUG_BENEFIT = "no_drug_benefit"
    NOT_SYNCED = "not_synced"
    NO_LIST = "no_list"
    ENTRY_INACTIVE = "entry_inactive"
    UNREFERENCED = "unreferenced"
    TIER_NOT_STATED = "tier_not_stated"
    TIER_NOT_UNDERSTOOD = "tier_not_understood"


class TierLevel(Word):
    """What tiers are commonly called: a hint, comparable inside one plan."""

    PREFERRED_GENERIC = "preferred_generic"
    GENERIC = "generic"
    SELECT_CARE = "select_care"
    PREFERRED_BRAND = "preferred_brand"
    BRAND = "brand"
    NON_PREFERRED = "non_preferred"
    SPECIALTY = "specialty"
    MEDICAL_SERVICE = "medical_service"
    NON_FORMULARY = "non_formulary"


class Audience(Word):
    """Whom a plan is sold to, a hint."""

    INDIVIDUAL = "individual"
    EMPLOYER_GROUP = "employer_group"
    SPECIAL_NEEDS = "special_needs"
    MEDICAID = "medicaid"
    NOT_STATED = "not_stated"


class DrugBenefit(Word):
    """How completely a plan's formulary was received."""

    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    NO_LIST = "no_list"
    NO_FORMULARY_PUBLISHED = "no_formulary_published"
    NO_DRUG_BENEFIT = "no_drug_benefit"
    NOT_SYNCED = "not_synced"


class Offered(Word):
    """Whether a plan is sold at a place."""

    YES = "yes"
    PARTLY = "partly"
    NO = "no"
    UNKNOWN = "unknown"


class NetworkKind(Word):
    """What a network is for."""

    PHARMACY = "pharmacy"
    VISION = "vision"
    MEDICAL = "medical"
    UNKNOWN = "unknown"


class NetworkStatus(Word):
    """Whether a provider is in a network."""

    IN_NETWORK = "in_network"
    INACTIVE = "inactive"
    OTHER_NETWORKS_ONLY = "other_networks_only"
    NOT_IN_DIRECTORY = "not_in_directory"
    NO_SUCH_NETWORK = "no_such_network"
    UNKNOWN = "unknown"


class ProviderKind(Word):
    """A person or an organization."""

    INDIVIDUAL = "individual"
    ORGANIZATION = "organization"


class Accepting(Word):
    """Whether new patients are taken."""

    YES = "yes"
    NO = "no"
    EXISTING_ONLY = "existing_only"
    EXISTING_AND_FAMILY = "existing_and_family"


class Precision(Word):
    """How precisely a place is known."""

    POINT = "point"
    ZIP = "zip"
    COUNTY = "county"
    UNKNOWN = "unknown"


class PhoneFrom(Word):
    """Whose phone a number is."""

    ROLE = "role"
    PLACE = "place"
    PROVIDER = "provider"
    ORGANIZATION = "organization"


class Inactive(Word):
    """What can be marked inactive."""

    ROLE = "role"
    PROVIDER = "provider"
    PLACE = "place"


class SearchResult(Word):
    """How a search shows a provider, or a place of its."""

    FOUND = "found"
    CLOSED_DOOR = "closed_door"
    PLACE_NOT_STATED = "place_not_stated"
    IN_DOUBT = "in_doubt"
    NOT_FOUND = "not_found"


class RoleDoubt(Word):
    """What makes a role doubtful."""

    CONTRARY = "contrary"
    LOST_NETWORK = "lost_network"

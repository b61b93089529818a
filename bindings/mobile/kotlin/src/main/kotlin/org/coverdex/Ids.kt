package org.coverdex

// Identifiers as answers give them. A question takes texts as people type them: `plan.value` is always one.

/** A county's FIPS code, such as `24005`. */
@JvmInline
public value class CountyFips(public val value: String) {
    override fun toString(): String = value
}

/** A package NDC in its eleven-digit form, without hyphens. */
@JvmInline
public value class Ndc11(public val value: String) {
    override fun toString(): String = value
}

/** A valid NPI: ten digits. */
@JvmInline
public value class Npi(public val value: String) {
    override fun toString(): String = value
}

/**
 * What to ask with for the next page of the same question. It belongs to one dataset and one question: another
 * refuses it.
 */
@JvmInline
public value class PageToken(public val value: String) {
    override fun toString(): String = value
}

/** One plan, in one year where its id states one: `H1234-567-000-2026`. */
@JvmInline
public value class PlanId(public val value: String) {
    override fun toString(): String = value
}

/** A product NDC, hyphenated. */
@JvmInline
public value class ProductNdc(public val value: String) {
    override fun toString(): String = value
}

/** An RxNorm code. */
@JvmInline
public value class Rxcui(public val value: String) {
    override fun toString(): String = value
}

/** A state by its two letters. */
@JvmInline
public value class State(public val value: String) {
    override fun toString(): String = value
}

/** A five-digit ZIP code. */
@JvmInline
public value class Zip5(public val value: String) {
    override fun toString(): String = value
}

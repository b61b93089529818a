package org.coverdex

import java.nio.file.Path
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Dispatchers

/**
 * A read-only dataset, open for questions. Safe to use from many threads and coroutines at once.
 *
 * ```
 * Dataset.open(folder).use { dataset ->
 *     for (answer in dataset.coverage("H1234-567", "atorvastatin 20 mg")) {
 *         println("${answer.plan}: ${answer.coverage.summary} as of ${answer.origin.asOf}")
 *     }
 * }
 * ```
 *
 * A call ends early if its coroutine is cancelled: launch a new search for each letter typed, and cancel the one
 * before. Texts are as people type them. A call that has no answer throws a [CoverdexException]; a drug that fits
 * several or nothing, and a provider that is not there, are answers.
 *
 * Where a plan's text means several years, a list has an answer for each, that of the year of the data first; such a
 * list is never empty.
 */
public class Dataset private constructor(
    private val native: NativeDataset,
    private val dispatcher: CoroutineDispatcher,
) : AutoCloseable {

    /** When the payer's data was read or last changed, RFC 3339 in UTC. */
    public val asOf: String = native.asOf()

    /** The source's name or kind. */
    public val source: String = native.source()

    /** The dataset's id. */
    public val id: String = native.id()

    /** The folder that was opened. */
    public val folder: String = native.folder()

    /** What the dataset holds, and how completely it was received. */
    public suspend fun info(): Info = ask { info(it) }

    /**
     * Plans that fit; what is not said fits all.
     *
     * @param text words of the name or the beginning of the id
     * @param typeCode a type code (`MA-PD`), compared without regard to case and punctuation
     * @param place the county or ZIP that they are sold in
     */
    public suspend fun plans(
        text: String? = null,
        place: Place? = null,
        typeCode: String? = null,
        audience: Audience? = null,
        year: Int? = null,
    ): PlansFound = ask { plans(PlansQuestion(text, typeCode, audience, year, place), it) }

    /**
     * Whether a plan covers a drug.
     *
     * @param plan by id in any spelling or by its exact name
     * @param drug an NDC, a product NDC, an RxNorm code, or a name with strength
     * @param place the county or ZIP that tells the plan's segment
     */
    public suspend fun coverage(plan: String, drug: String, place: Place? = null): List<CoverageAnswer> =
        ask { coverage(plan, drug, place, it) }

    /**
     * Drugs × plans in one call; plans best first.
     *
     * @param plans by id or name; empty: those that are sold at [place]
     * @param year without one that of the data
     * @param audience whom the place's plans are sold to; without one individuals
     */
    public suspend fun coverageMatrix(
        drugs: List<String>,
        plans: List<String> = emptyList(),
        place: Place? = null,
        year: Int? = null,
        audience: Audience? = null,
    ): CoverageMatrix = ask { coverageMatrix(MatrixQuestion(drugs, plans, place, year, audience), it) }

    /**
     * Plans side by side for one person's drugs and providers, best first. Nothing of the question is kept.
     *
     * @param providers doctors, pharmacies and others, by NPI or name
     * @param plans by id or name; empty: those that are sold at [place]
     * @param beside another year, to show what changes in each plan
     */
    public suspend fun compare(
        drugs: List<String> = emptyList(),
        providers: List<String> = emptyList(),
        plans: List<String> = emptyList(),
        place: Place? = null,
        year: Int? = null,
        beside: Int? = null,
        audience: Audience? = null,
    ): PlanComparison {
        val named = providers.map { ProviderText(it) }
        return ask { compare(ComparisonQuestion(drugs, named, plans, place, year, beside, audience), it) }
    }

    /**
     * What a plan has with the same ingredients as a drug: better status or level first.
     *
     * @param notListed also show what the plan does not list; it is counted in any case
     * @param page the page to show, as the one before it says
     */
    public suspend fun sameIngredient(
        plan: String,
        drug: String,
        place: Place? = null,
        notListed: Boolean = false,
        limit: Int = 20,
        page: PageToken? = null,
    ): List<DrugOptions> = ask { sameIngredient(OptionsQuestion(plan, drug, place, notListed, limit, page), it) }

    /** Why a plan covers a drug or does not: each condition, what the data says, which decided. */
    public suspend fun explainCoverage(plan: String, drug: String, place: Place? = null): List<CoverageExplanation> =
        ask { explainCoverage(plan, drug, place, it) }

    /** Which plans that are sold at a county or ZIP cover a drug. */
    public suspend fun plansCovering(
        drug: String,
        place: Place,
        year: Int? = null,
        audience: Audience? = null,
    ): PlansCovering = ask { plansCovering(CoveringQuestion(drug, place, year, audience), it) }

    /**
     * Drugs that fit what was typed so far, best first; a misspelling of one letter is forgiven.
     *
     * @param text words, strength, form, or (the beginning of) a code
     * @param plan also say what this plan says of each, what it lists first
     * @param codes fill in the lists of codes
     * @param page the page to show, as the one before it says
     */
    public suspend fun searchDrugs(
        text: String,
        plan: String? = null,
        limit: Int = 10,
        codes: Boolean = true,
        page: PageToken? = null,
    ): List<DrugPage> = ask { searchDrugs(DrugsQuestion(text, plan, limit, codes, page), it) }

    /**
     * Providers near a county, a ZIP or a point, or in a state: one result is one provider at one place. Specialty,
     * networks and accepting status hold within one role.
     *
     * @param plan in any network of this plan
     * @param network in this network, `SYSTEM|ID`; not beside a plan
     * @param withinKm the radius; without one 25 miles, from a county as far beyond its farthest border point
     * @param specialty in any of its spellings, a NUCC taxonomy code, or plain words (`heart doctor`)
     * @param name words of the name, the last of which may not be typed to its end
     * @param gender a gender, or its first letter
     * @param language its name in English or in itself, or its code
     * @param accepting only those who say that they take new patients
     * @param city in any spelling; its state may stand behind a comma
     * @param offset results to pass over first; not beside [page]
     * @param countSimilar whether to look for what else may be meant: leave it out while a text is being typed
     */
    public suspend fun searchProviders(
        plan: String? = null,
        network: String? = null,
        networkKind: NetworkKind? = null,
        place: Place? = null,
        withinKm: Double? = null,
        specialty: String? = null,
        name: String? = null,
        kind: ProviderKind? = null,
        gender: String? = null,
        language: String? = null,
        accepting: Boolean = false,
        city: String? = null,
        limit: Int = 20,
        offset: Int = 0,
        page: PageToken? = null,
        countSimilar: Boolean = true,
    ): List<ProvidersAnswer> = searchProviders(
        ProvidersQuestion(
            plan, network, networkKind, place, withinKm, specialty, name, kind, gender, language, accepting, city,
            limit, offset, page, countSimilar,
        ),
    )

    /** The same, for a question that is kept. */
    public suspend fun searchProviders(question: ProvidersQuestion): List<ProvidersAnswer> =
        ask { searchProviders(question, it) }

    /**
     * Everything known of one provider; with a plan or a network whether it is in it.
     *
     * @param npi any NPI of the provider
     * @param name words of its name, where several providers state the NPI
     */
    public suspend fun provider(
        npi: String,
        name: String? = null,
        plan: String? = null,
        network: String? = null,
        networkKind: NetworkKind? = null,
    ): List<ProviderAnswer> = ask { provider(ProviderQuestion(npi, name, plan, network, networkKind), it) }

    /**
     * Providers × plans in one call; plans best first.
     *
     * @param providers by NPI or name
     * @param plans by id or name; empty: those that are sold at [place]
     */
    public suspend fun networkMatrix(
        providers: List<String>,
        plans: List<String> = emptyList(),
        place: Place? = null,
        year: Int? = null,
        audience: Audience? = null,
        networkKind: NetworkKind? = null,
    ): NetworkMatrix {
        val named = providers.map { ProviderText(it) }
        return ask { networkMatrix(NetworkMatrixQuestion(named, plans, place, year, audience, networkKind), it) }
    }

    /**
     * Which plans that are sold at a county or ZIP have a provider in their networks.
     *
     * @param provider its NPI, or words of its name
     * @param name words of its name beside an NPI that several providers state
     */
    public suspend fun plansTaking(
        provider: String,
        place: Place,
        name: String? = null,
        year: Int? = null,
        audience: Audience? = null,
        networkKind: NetworkKind? = null,
    ): PlansTaking =
        ask { plansTaking(TakingQuestion(ProviderText(provider, name), place, year, audience, networkKind), it) }

    /**
     * Who practices at an address, or is reached by a phone number; those with an active role first.
     *
     * @param address with its ZIP, or with city and state, in any spelling; without a suite the whole house is meant
     * @param phone ten digits, in any spelling
     */
    public suspend fun practicingAt(
        address: String? = null,
        phone: String? = null,
        limit: Int = 20,
        page: PageToken? = null,
    ): PracticingAt = ask { practicingAt(PracticingAtQuestion(address, phone, limit, page), it) }

    /** Why a provider, by NPI or name, is among the results of [search], or is not: each condition, which decided. */
    public suspend fun explainProvider(provider: String, search: ProvidersQuestion): List<ProviderExplanation> =
        ask { explainProvider(ProviderText(provider), search, it) }

    /** The counties that a name, a FIPS code or a ZIP means. */
    public suspend fun counties(text: String): CountiesFound = ask { counties(text, it) }

    /** Closes the dataset, once calls that run have ended. A question asked then is an [IllegalStateException]. */
    override fun close(): Unit = native.close()

    override fun toString(): String = "Dataset($folder, as of $asOf)"

    private suspend fun <T> ask(call: NativeDataset.(CancelToken) -> T): T = try {
        cancellable(dispatcher) { token -> native.call(token) }
    } catch (gone: IllegalStateException) {
        if (gone is CancellationException || !native.uniffiIsDestroyed) throw gone
        throw IllegalStateException("the dataset $folder is closed", gone)
    }

    public companion object {
        /**
         * Opens a dataset folder, or the live dataset of a store, in a few milliseconds.
         *
         * @param dispatcher where calls run; with [Dispatchers.Unconfined] in the thread that asks, which a worker
         *   thread that asks much may want
         */
        public fun open(path: String, dispatcher: CoroutineDispatcher = Dispatchers.IO): Dataset =
            translated { Dataset(NativeDataset.open(path), dispatcher) }

        /** The same by path. */
        public fun open(path: Path, dispatcher: CoroutineDispatcher = Dispatchers.IO): Dataset =
            open(path.toString(), dispatcher)

        /**
         * Copies a downloaded dataset into a store and makes it live: opening the store's path opens it. Every byte is
         * compared with the manifest on the way, and the copy must answer before it is live. What the store has already,
         * whole, is not copied again.
         *
         * The dataset that was live stays for [rollback], and whoever has it open goes on with it. However this ends
         * early, by an error, by cancelling or with the process, that one stays live, and the same call can be made
         * again. One install at a time writes to a store: another fails with [CoverdexException.Io] meanwhile.
         *
         * If the coroutine is cancelled, it goes on once the call has ended.
         *
         * @param folder what was downloaded: a dataset folder, or a store whose live dataset is meant. It is only
         *   read, and may be removed afterwards
         * @param into the store; it is made if it is not there
         * @throws CoverdexException.DatasetDamaged for a download to be made again
         * @throws CoverdexException.DatasetTooNew where the app must be updated first
         * @throws CoverdexException.Io for what may pass, such as a full disk
         */
        public suspend fun install(folder: String, into: String): Installed =
            ended { token -> nativeInstall(folder, into, token) }

        /** The same by path. */
        public suspend fun install(folder: Path, into: Path): Installed = install(folder.toString(), into.toString())

        /**
         * Makes the dataset live again that was live before the last install, and removes the one that is live.
         *
         * @throws CoverdexException.NotFound where none is kept
         */
        public suspend fun rollback(store: String): Installed = ended { token -> nativeRollback(store, token) }

        /** The same by path. */
        public suspend fun rollback(store: Path): Installed = rollback(store.toString())

        /** Removes the dataset that was live before, once the new one has proved itself. Whether there was one. */
        public suspend fun removeFormer(store: String): Boolean = ended { nativeRemoveFormer(store) }

        /** The same by path. */
        public suspend fun removeFormer(store: Path): Boolean = removeFormer(store.toString())

        /**
         * Compares every byte of a dataset folder, or of the live dataset of a store, with its manifest: an app does
         * so once, after a download that it does not [install].
         *
         * @throws CoverdexException.DatasetDamaged with all [damages][CoverdexException.damages]
         */
        public suspend fun verify(folder: String): Verified = ended { token -> nativeVerify(folder, token) }

        /** The same by path. */
        public suspend fun verify(folder: Path): Verified = verify(folder.toString())
    }
}

/** A point, in degrees. */
public fun Place.Companion.at(lat: Double, lon: Double): Place = Place.Point("$lat,$lon")

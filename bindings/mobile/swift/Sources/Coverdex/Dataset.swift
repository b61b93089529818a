import Foundation

/// A read-only dataset, to be asked from any thread.
///
/// ```swift
/// let dataset = try await Dataset.open(store)
/// for answer in try await dataset.coverage(plan: "H1234-567", drug: "atorvastatin 20 mg") {
///     print(answer.plan, answer.coverage.status)
/// }
/// let typed = try await dataset.searchDrugs(DrugsQuestion(text: "atorva", plan: "H1234-567"))
/// ```
///
/// Where a plan's text means several years, there is an answer for each, that of the year of the data first.
///
/// These calls block, and end early by their ``CancelToken``. Each has an `async` form of the same name, which is the
/// one that the compiler takes in a task.
public final class Dataset: Sendable {
    private let native: NativeDataset

    /// Opens a dataset folder, or the live dataset of a store.
    public init(path: String) throws(Failure) {
        native = try answer { try NativeDataset.open(path: path) }
    }

    /// Opens a dataset folder, or the live dataset of a store.
    public convenience init(_ folder: URL) throws(Failure) { try self.init(path: folder.path) }

    /// The dataset's id.
    public var id: String { native.id() }

    /// When the payer's data was read or last changed, RFC 3339 in UTC.
    public var asOf: String { native.asOf() }

    /// The source's name or kind.
    public var source: String { native.source() }

    /// The folder that was opened.
    public var folder: String { native.folder() }

    /// What the dataset holds, and how completely it was received.
    public func info(cancel: CancelToken? = nil) throws(Failure) -> Info {
        try answer { try native.info(cancel: cancel) }
    }

    /// Plans that fit.
    public func plans(_ question: PlansQuestion, cancel: CancelToken? = nil) throws(Failure) -> PlansFound {
        try answer { try native.plans(question: question, cancel: cancel) }
    }

    /// Whether a plan covers a drug. A drug that fits several or nothing is an answer; an unknown plan is not.
    ///
    /// - Parameters:
    ///   - plan: By id in any spelling or by its exact name. Where it means several years, each has an answer.
    ///   - drug: An NDC, a product NDC, an RxNorm code, or a name with strength.
    ///   - place: The county or ZIP that tells the plan's segment.
    public func coverage(
        plan: String, drug: String, at place: Place? = nil, cancel: CancelToken? = nil
    ) throws(Failure) -> [CoverageAnswer] {
        try answer { try native.coverage(plan: plan, drug: drug, at: place, cancel: cancel) }
    }

    /// Drugs × plans in one call; plans best first.
    public func coverageMatrix(
        _ question: MatrixQuestion, cancel: CancelToken? = nil
    ) throws(Failure) -> CoverageMatrix {
        try answer { try native.coverageMatrix(question: question, cancel: cancel) }
    }

    /// Plans side by side for one person's drugs and providers, best first; with another year beside it what changes.
    public func compare(_ question: ComparisonQuestion, cancel: CancelToken? = nil) throws(Failure) -> PlanComparison {
        try answer { try native.compare(question: question, cancel: cancel) }
    }

    /// What a plan has with the same ingredients as a drug: better status or level first.
    public func sameIngredient(
        _ question: OptionsQuestion, cancel: CancelToken? = nil
    ) throws(Failure) -> [DrugOptions] {
        try answer { try native.sameIngredient(question: question, cancel: cancel) }
    }

    /// Why a plan covers a drug or does not: each condition, what the data says, which decided.
    public func explainCoverage(
        plan: String, drug: String, at place: Place? = nil, cancel: CancelToken? = nil
    ) throws(Failure) -> [CoverageExplanation] {
        try answer { try native.explainCoverage(plan: plan, drug: drug, at: place, cancel: cancel) }
    }

    /// Which plans that are sold at a place cover a drug.
    public func plansCovering(
        _ question: CoveringQuestion, cancel: CancelToken? = nil
    ) throws(Failure) -> PlansCovering {
        try answer { try native.plansCovering(question: question, cancel: cancel) }
    }

    /// Drugs that fit what was typed so far, best first; with a plan its tiers and restrictions.
    public func searchDrugs(_ question: DrugsQuestion, cancel: CancelToken? = nil) throws(Failure) -> [DrugPage] {
        try answer { try native.searchDrugs(question: question, cancel: cancel) }
    }

    /// In-network providers near a county, a ZIP or a point, or in a state: one result is one provider at one place.
    public func searchProviders(
        _ question: ProvidersQuestion, cancel: CancelToken? = nil
    ) throws(Failure) -> [ProvidersAnswer] {
        try answer { try native.searchProviders(question: question, cancel: cancel) }
    }

    /// Everything known of one provider; with a plan or a network whether it is in it.
    public func provider(_ question: ProviderQuestion, cancel: CancelToken? = nil) throws(Failure) -> [ProviderAnswer] {
        try answer { try native.provider(question: question, cancel: cancel) }
    }

    /// Providers × plans in one call; plans best first.
    public func networkMatrix(
        _ question: NetworkMatrixQuestion, cancel: CancelToken? = nil
    ) throws(Failure) -> NetworkMatrix {
        try answer { try native.networkMatrix(question: question, cancel: cancel) }
    }

    /// Which plans that are sold at a place have a provider in their networks.
    public func plansTaking(_ question: TakingQuestion, cancel: CancelToken? = nil) throws(Failure) -> PlansTaking {
        try answer { try native.plansTaking(question: question, cancel: cancel) }
    }

    /// Who practices at an address, or is reached by a phone number; those with an active role first.
    public func practicingAt(
        _ question: PracticingAtQuestion, cancel: CancelToken? = nil
    ) throws(Failure) -> PracticingAt {
        try answer { try native.practicingAt(question: question, cancel: cancel) }
    }

    /// Why a provider is among the results of a search, or is not: each condition, and which decided.
    public func explainProvider(
        _ provider: ProviderText, search: ProvidersQuestion, cancel: CancelToken? = nil
    ) throws(Failure) -> [ProviderExplanation] {
        try answer { try native.explainProvider(provider: provider, search: search, cancel: cancel) }
    }

    /// The counties that a name, a FIPS code or a ZIP means.
    public func counties(_ text: String, cancel: CancelToken? = nil) throws(Failure) -> CountiesFound {
        try answer { try native.counties(text: text, cancel: cancel) }
    }
}

/// Every question in a form that waits without holding its thread's actor, and ends when the task is cancelled.
///
/// ```swift
/// let dataset = try await Dataset.open(path: folder.path)
/// for answer in try await dataset.coverage(plan: "H1234-567", drug: "atorvastatin 20 mg") {
///     print(answer.plan, answer.coverage.status)
/// }
/// ```
///
/// In a task the compiler takes these; outside, the blocking form of the same name, which takes a ``CancelToken``.
extension Dataset {
    /// Opens a dataset folder, or the live dataset of a store.
    public static func open(path: String) async throws -> Dataset {
        try await cancellable { _ in try open(path: path) }
    }

    /// What the dataset holds, and how completely it was received.
    public func info() async throws -> Info {
        try await cancellable { try info(cancel: $0) }
    }

    /// Plans that fit.
    public func plans(question: PlansQuestion) async throws -> PlansFound {
        try await cancellable { try plans(question: question, cancel: $0) }
    }

    /// Whether a plan covers a drug. A drug that fits several or nothing is an answer; an unknown plan is not.
    ///
    /// - Parameters:
    ///   - plan: By id in any spelling or by its exact name. Where it means several years, each has an answer.
    ///   - drug: An NDC, a product NDC, an RxNorm code, or a name with strength.
    ///   - at: The county or ZIP that tells the plan's segment.
    public func coverage(plan: String, drug: String, at: Place? = nil) async throws -> [CoverageAnswer] {
        try await cancellable { try coverage(plan: plan, drug: drug, at: at, cancel: $0) }
    }

    /// Drugs × plans in one call; plans best first.
    public func coverageMatrix(question: MatrixQuestion) async throws -> CoverageMatrix {
        try await cancellable { try coverageMatrix(question: question, cancel: $0) }
    }

    /// Plans side by side for one person's drugs and providers, best first; with another year beside it what changes.
    public func compare(question: ComparisonQuestion) async throws -> PlanComparison {
        try await cancellable { try compare(question: question, cancel: $0) }
    }

    /// What a plan has with the same ingredients as a drug: better status or level first.
    public func sameIngredient(question: OptionsQuestion) async throws -> [DrugOptions] {
        try await cancellable { try sameIngredient(question: question, cancel: $0) }
    }

    /// Why a plan covers a drug or does not: each condition, what the data says, which decided.
    public func explainCoverage(plan: String, drug: String, at: Place? = nil) async throws -> [CoverageExplanation] {
        try await cancellable { try explainCoverage(plan: plan, drug: drug, at: at, cancel: $0) }
    }

    /// Which plans that are sold at a place cover a drug.
    public func plansCovering(question: CoveringQuestion) async throws -> PlansCovering {
        try await cancellable { try plansCovering(question: question, cancel: $0) }
    }

    /// Drugs that fit what was typed so far, best first. Cancel the task of the letter before.
    public func searchDrugs(question: DrugsQuestion) async throws -> [DrugPage] {
        try await cancellable { try searchDrugs(question: question, cancel: $0) }
    }

    /// In-network providers near a county, a ZIP or a point, or in a state: one result is one provider at one place.
    public func searchProviders(question: ProvidersQuestion) async throws -> [ProvidersAnswer] {
        try await cancellable { try searchProviders(question: question, cancel: $0) }
    }

    /// Everything known of one provider; with a plan or a network whether it is in it.
    public func provider(question: ProviderQuestion) async throws -> [ProviderAnswer] {
        try await cancellable { try provider(question: question, cancel: $0) }
    }

    /// Providers × plans in one call; plans best first.
    public func networkMatrix(question: NetworkMatrixQuestion) async throws -> NetworkMatrix {
        try await cancellable { try networkMatrix(question: question, cancel: $0) }
    }

    /// Which plans that are sold at a place have a provider in their networks.
    public func plansTaking(question: TakingQuestion) async throws -> PlansTaking {
        try await cancellable { try plansTaking(question: question, cancel: $0) }
    }

    /// Who practices at an address, or is reached by a phone number; those with an active role first.
    public func practicingAt(question: PracticingAtQuestion) async throws -> PracticingAt {
        try await cancellable { try practicingAt(question: question, cancel: $0) }
    }

    /// Why a provider is among the results of a search, or is not: each condition, and which decided.
    public func explainProvider(
        provider: ProviderText, search: ProvidersQuestion
    ) async throws -> [ProviderExplanation] {
        try await cancellable { try explainProvider(provider: provider, search: search, cancel: $0) }
    }

    /// The counties that a name, a FIPS code or a ZIP means.
    public func counties(text: String) async throws -> CountiesFound {
        try await cancellable { try counties(text: text, cancel: $0) }
    }
}

/// Hashes every byte of a dataset folder, or of the live dataset of a store, and compares: once, after a download.
public func verify(folder: String) async throws -> Verified {
    try await onItsOwnThread { try verify(folder: folder) }
}

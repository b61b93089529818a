import Foundation

/// The calls as a task makes them: outside the caller's actor, and ended with `CancellationError` when the task is
/// cancelled.
extension Dataset {
    /// Opens a dataset folder, or the live dataset of a store.
    public static func open(path: String) async throws -> Dataset {
        try await cancellable { _ in try Dataset(path: path) }
    }

    /// Opens a dataset folder, or the live dataset of a store.
    public static func open(_ folder: URL) async throws -> Dataset { try await open(path: folder.path) }

    /// What the dataset holds, and how completely it was received.
    public func info() async throws -> Info {
        try await cancellable { try info(cancel: $0) }
    }

    /// Plans that fit.
    public func plans(_ question: PlansQuestion) async throws -> PlansFound {
        try await cancellable { try plans(question, cancel: $0) }
    }

    /// Whether a plan covers a drug. A drug that fits several or nothing is an answer; an unknown plan is not.
    ///
    /// - Parameters:
    ///   - plan: By id in any spelling or by its exact name. Where it means several years, each has an answer.
    ///   - drug: An NDC, a product NDC, an RxNorm code, or a name with strength.
    ///   - place: The county or ZIP that tells the plan's segment.
    public func coverage(plan: String, drug: String, at place: Place? = nil) async throws -> [CoverageAnswer] {
        try await cancellable { try coverage(plan: plan, drug: drug, at: place, cancel: $0) }
    }

    /// Drugs × plans in one call; plans best first.
    public func coverageMatrix(_ question: MatrixQuestion) async throws -> CoverageMatrix {
        try await cancellable { try coverageMatrix(question, cancel: $0) }
    }

    /// Plans side by side for one person's drugs and providers, best first; with another year beside it what changes.
    public func compare(_ question: ComparisonQuestion) async throws -> PlanComparison {
        try await cancellable { try compare(question, cancel: $0) }
    }

    /// What a plan has with the same ingredients as a drug: better status or level first.
    public func sameIngredient(_ question: OptionsQuestion) async throws -> [DrugOptions] {
        try await cancellable { try sameIngredient(question, cancel: $0) }
    }

    /// Why a plan covers a drug or does not: each condition, what the data says, which decided.
    public func explainCoverage(
        plan: String, drug: String, at place: Place? = nil
    ) async throws -> [CoverageExplanation] {
        try await cancellable { try explainCoverage(plan: plan, drug: drug, at: place, cancel: $0) }
    }

    /// Which plans that are sold at a place cover a drug.
    public func plansCovering(_ question: CoveringQuestion) async throws -> PlansCovering {
        try await cancellable { try plansCovering(question, cancel: $0) }
    }

    /// Drugs that fit what was typed so far, best first; with a plan its tiers and restrictions.
    public func searchDrugs(_ question: DrugsQuestion) async throws -> [DrugPage] {
        try await cancellable { try searchDrugs(question, cancel: $0) }
    }

    /// In-network providers near a county, a ZIP or a point, or in a state: one result is one provider at one place.
    public func searchProviders(_ question: ProvidersQuestion) async throws -> [ProvidersAnswer] {
        try await cancellable { try searchProviders(question, cancel: $0) }
    }

    /// Everything known of one provider; with a plan or a network whether it is in it.
    public func provider(_ question: ProviderQuestion) async throws -> [ProviderAnswer] {
        try await cancellable { try provider(question, cancel: $0) }
    }

    /// Providers × plans in one call; plans best first.
    public func networkMatrix(_ question: NetworkMatrixQuestion) async throws -> NetworkMatrix {
        try await cancellable { try networkMatrix(question, cancel: $0) }
    }

    /// Which plans that are sold at a place have a provider in their networks.
    public func plansTaking(_ question: TakingQuestion) async throws -> PlansTaking {
        try await cancellable { try plansTaking(question, cancel: $0) }
    }

    /// Who practices at an address, or is reached by a phone number; those with an active role first.
    public func practicingAt(_ question: PracticingAtQuestion) async throws -> PracticingAt {
        try await cancellable { try practicingAt(question, cancel: $0) }
    }

    /// Why a provider is among the results of a search, or is not: each condition, and which decided.
    public func explainProvider(
        _ provider: ProviderText, search: ProvidersQuestion
    ) async throws -> [ProviderExplanation] {
        try await cancellable { try explainProvider(provider, search: search, cancel: $0) }
    }

    /// The counties that a name, a FIPS code or a ZIP means.
    public func counties(_ text: String) async throws -> CountiesFound {
        try await cancellable { try counties(text, cancel: $0) }
    }
}

import Coverdex

/// Searches while a person types. Each text ends the search of the one before, and only the last is shown.
@MainActor
final class TypeAhead {
    enum Result {
        case found(DrugPage)
        case failed(any Error)
    }

    private let dataset: Dataset
    private let plan: String?
    private let show: @MainActor (String, Result) -> Void
    private var search: Task<Void, Never>?

    /// Where a plan's text means several years, the first is shown, that of the year of the data.
    init(dataset: Dataset, plan: String?, show: @escaping @MainActor (String, Result) -> Void) {
        (self.dataset, self.plan, self.show) = (dataset, plan, show)
    }

    func typed(_ text: String) {
        search?.cancel()
        search = Task {
            do {
                // Codes are long lists that a line on the screen does not show.
                let pages = try await dataset.searchDrugs(
                    DrugsQuestion(text: text, plan: plan, limit: 5, codes: false))
                // Back on the main actor: what was cancelled meanwhile is not shown.
                guard !Task.isCancelled, let page = pages.first else { return }
                show(text, .found(page))
            } catch is CancellationError {
            } catch {
                if !Task.isCancelled { show(text, .failed(error)) }
            }
        }
    }

    /// Waits for the last search.
    func finish() async { await search?.value }
}

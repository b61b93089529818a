import Coverdex
import Foundation

/// Asks a dataset from the command line, in the way that an app does.
@main
struct Example {
    static func main() async {
        do {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            guard let verb = arguments.verb else { return print(usage) }
            let dataset = try await Dataset.open(path: arguments.required("data"))
            switch verb {
            case .drugs:
                try await typeDrugs(dataset, plan: arguments.texts["plan"])
            case .coverage:
                let (plan, drug) = (try arguments.required("plan"), try arguments.required("drug"))
                for answer in try await dataset.coverage(plan: plan, drug: drug, at: arguments.place()) {
                    print(card(answer), terminator: "\n\n")
                }
            case .providers:
                let question = try ProvidersQuestion(
                    plan: arguments.texts["plan"], place: arguments.place(), specialty: arguments.texts["specialty"],
                    name: arguments.texts["name"], accepting: arguments.flags.contains("accepting"),
                    limit: arguments.number("limit") ?? 5)
                try await showProviders(dataset, question, pages: arguments.number("pages"))
            }
        } catch let wrong as Arguments.Wrong {
            complain("\(wrong.message)\n\n\(usage)")
            exit(2)
        } catch let failure as Failure {
            complain(words(for: failure))
            exit(1)
        } catch {
            complain(error.localizedDescription)
            exit(1)
        }
    }

    static let usage = """
        usage: coverdex-example drugs     --data FOLDER [--plan PLAN]
               coverdex-example coverage  --data FOLDER --plan PLAN --drug DRUG [PLACE]
               coverdex-example providers --data FOLDER PLACE [--plan PLAN] [--specialty WORDS] [--name WORDS]
                                          [--accepting] [--limit N] [--pages N]

          drugs      searches while you type; where standard input is no terminal, each line is what was typed so far
          coverage   whether a plan covers a drug
          providers  who is near: in a terminal page by page, else as many pages as --pages says (1)
          PLACE      --zip 78701, --county "Travis County, TX" or --near 30.27,-97.74
        """

    static func complain(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}

/// What a person is told of a failure: what is wrong, what may have been meant, what to do.
func words(for failure: Failure) -> String {
    var lines = [failure.description]
    switch failure {
    case .DatasetMissing:
        lines.append("There is no dataset here yet: download one.")
    case .DatasetDamaged:
        lines.append("The dataset is damaged: download it again.")
    case .DatasetTooNew:
        lines.append("The dataset is newer than this app: update the app.")
    case .Ambiguous, .NotFound, .InvalidInput, .Refused, .Io, .Interrupted, .Other:
        if !failure.problem.candidates.isEmpty {
            lines.append("Did you mean: " + failure.problem.candidates.prefix(5).joined(separator: ", ") + "?")
        }
        if let hint = failure.recoverySuggestion { lines.append("Hint: \(hint)") }
    }
    return lines.joined(separator: "\n")
}

import XCTest
@testable import Coverdex

final class LibraryTests: XCTestCase {
    /// The generated code ends the process where the library is another one than it was written for.
    func testTheLibraryIsTheOneOfThisPackage() { uniffiEnsureCoverdexMobileInitialized() }
}

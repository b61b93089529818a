// swift-tools-version: 6.0
import Foundation
import PackageDescription

// The native library: on Apple systems the framework, once it lies beside this file; else a shared library of the
// machine, named to the linker: swift build -Xlinker -Lfolder.
let framework = "Coverdex.xcframework"
let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
let hasFramework = FileManager.default.fileExists(atPath: folder.appendingPathComponent(framework).path)

let package = Package(
    name: "Coverdex",
    platforms: [.iOS(.v15), .macOS(.v12)],
    products: [.library(name: "Coverdex", targets: ["Coverdex"])],
    targets: [
        hasFramework
            ? .binaryTarget(name: "coverdex_mobileFFI", path: framework)
            : .systemLibrary(name: "coverdex_mobileFFI", path: "Sources/CoverdexFFI"),
        .target(
            name: "Coverdex",
            dependencies: ["coverdex_mobileFFI"],
            resources: [.copy("PrivacyInfo.xcprivacy")]
        ),
        .testTarget(name: "CoverdexTests", dependencies: ["Coverdex", "coverdex_mobileFFI", "coverdex-example"]),
        // Commands: what an app does, to be copied; how fast the package is.
        .executableTarget(name: "coverdex-example", dependencies: ["Coverdex"], path: "Example"),
        .executableTarget(name: "coverdex-bench", dependencies: ["Coverdex", "coverdex_mobileFFI"], path: "Bench"),
    ]
)

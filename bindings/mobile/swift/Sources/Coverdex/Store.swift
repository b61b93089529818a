import Foundation

/// What reads whole datasets. It takes long: in a task it has a thread of its own.
extension Dataset {
    /// Hashes every byte of a dataset folder, or of the live dataset of a store, and compares: once, after a download.
    ///
    /// - Throws: ``Failure/DatasetDamaged(problem:)``, whose problem names all damaged files.
    public static func verify(_ folder: URL) throws(Failure) -> Verified {
        try answer { try nativeVerify(folder: folder.path) }
    }

    /// Hashes every byte of a dataset folder, or of the live dataset of a store, and compares: once, after a download.
    ///
    /// - Throws: ``Failure/DatasetDamaged(problem:)``, whose problem names all damaged files.
    public static func verify(_ folder: URL) async throws -> Verified {
        try await onItsOwnThread { try verify(folder) }
    }
}

import Foundation

/// What reads or writes whole datasets. In a task it has a thread of its own.
///
/// A store is a folder that an app gives to Coverdex: it has the live dataset and, until ``removeFormer(_:)``, the one
/// before. Opening the store's URL opens the live one.
extension Dataset {
    /// Copies a downloaded dataset into a store and makes it live.
    ///
    /// Every byte is compared with the manifest on the way, and the copy must answer before it is live. Whoever has
    /// the former dataset open goes on with it; ``open(_:)`` opens the new one. However this ends early, the dataset
    /// that was live stays live, and the same call can be made again.
    ///
    /// While this runs it holds a lock on a file of the store: it belongs into the app's own container, since iOS
    /// ends an app that is suspended while it holds one in a shared container.
    ///
    /// - Parameters:
    ///   - folder: What was downloaded: a dataset folder, or a store whose live dataset is meant. It is only read, and
    ///     may be removed afterwards.
    ///   - store: Is made where it is not there.
    /// - Throws: ``Failure/DatasetDamaged(problem:)`` for a download to be made again,
    ///   ``Failure/DatasetTooNew(problem:)`` where the app must be updated first, and ``Failure/Io(problem:)`` for what
    ///   may pass, such as a full disk.
    @discardableResult
    public static func install(
        _ folder: URL, into store: URL, cancel: CancelToken? = nil
    ) throws(Failure) -> Installed {
        try answer { try nativeInstall(folder: folder.path, store: store.path, cancel: cancel) }
    }

    /// Makes the dataset live again that was before the last install, and removes the one that was installed.
    ///
    /// - Throws: ``Failure/NotFound(problem:)`` where none is kept.
    @discardableResult
    public static func rollback(_ store: URL, cancel: CancelToken? = nil) throws(Failure) -> Installed {
        try answer { try nativeRollback(store: store.path, cancel: cancel) }
    }

    /// Removes the dataset that was live before the last install, once the new one has proved itself.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    public static func removeFormer(_ store: URL) throws(Failure) -> Bool {
        try answer { try nativeRemoveFormer(store: store.path) }
    }

    /// Compares every byte of a dataset folder, or of the live dataset of a store, with its manifest. An install does
    /// so by itself.
    ///
    /// - Throws: ``Failure/DatasetDamaged(problem:)``, whose problem names all damaged files.
    @discardableResult
    public static func verify(_ folder: URL, cancel: CancelToken? = nil) throws(Failure) -> Verified {
        try answer { try nativeVerify(folder: folder.path, cancel: cancel) }
    }
}

/// The same in a task. Cancelling the task ends the call with `CancellationError`.
extension Dataset {
    /// Copies a downloaded dataset into a store and makes it live.
    ///
    /// Every byte is compared with the manifest on the way, and the copy must answer before it is live. Whoever has
    /// the former dataset open goes on with it; ``open(_:)`` opens the new one. However this ends early, the dataset
    /// that was live stays live, and the same call can be made again.
    ///
    /// While this runs it holds a lock on a file of the store: it belongs into the app's own container, since iOS
    /// ends an app that is suspended while it holds one in a shared container.
    ///
    /// - Parameters:
    ///   - folder: What was downloaded: a dataset folder, or a store whose live dataset is meant. It is only read, and
    ///     may be removed afterwards.
    ///   - store: Is made where it is not there.
    /// - Throws: ``Failure/DatasetDamaged(problem:)`` for a download to be made again,
    ///   ``Failure/DatasetTooNew(problem:)`` where the app must be updated first, and ``Failure/Io(problem:)`` for what
    ///   may pass, such as a full disk.
    @discardableResult
    public static func install(_ folder: URL, into store: URL) async throws -> Installed {
        try await onItsOwnThread { try install(folder, into: store, cancel: $0) }
    }

    /// Makes the dataset live again that was before the last install, and removes the one that was installed.
    ///
    /// - Throws: ``Failure/NotFound(problem:)`` where none is kept.
    @discardableResult
    public static func rollback(_ store: URL) async throws -> Installed {
        try await onItsOwnThread { try rollback(store, cancel: $0) }
    }

    /// Removes the dataset that was live before the last install, once the new one has proved itself.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    public static func removeFormer(_ store: URL) async throws -> Bool {
        try await onItsOwnThread { _ in try answer { try nativeRemoveFormer(store: store.path) } }
    }

    /// Compares every byte of a dataset folder, or of the live dataset of a store, with its manifest. An install does
    /// so by itself.
    ///
    /// - Throws: ``Failure/DatasetDamaged(problem:)``, whose problem names all damaged files.
    @discardableResult
    public static func verify(_ folder: URL) async throws -> Verified {
        try await onItsOwnThread { try verify(folder, cancel: $0) }
    }
}

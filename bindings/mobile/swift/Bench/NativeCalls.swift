import Coverdex
import Foundation
import coverdex_mobileFFI

/// The library's C functions without what Swift does around them: arguments into buffers, the call, the answer's
/// buffer freed unread.
struct NativeCalls {
    private let dataset: NativeDataset

    init(path: String) throws { dataset = try NativeDataset.open(path: path) }

    func coverage(plan: String, drug: String) throws {
        try call {
            uniffi_coverdex_mobile_fn_method_nativedataset_coverage(
                dataset.uniffiCloneHandle(), buffer(plan), buffer(drug), none, none, $0)
        }
    }

    func searchDrugs(_ question: DrugsQuestion) throws {
        try call {
            uniffi_coverdex_mobile_fn_method_nativedataset_search_drugs(
                dataset.uniffiCloneHandle(), FfiConverterTypeDrugsQuestion_lower(question), none, $0)
        }
    }

    func searchProviders(_ question: ProvidersQuestion) throws {
        try call {
            uniffi_coverdex_mobile_fn_method_nativedataset_search_providers(
                dataset.uniffiCloneHandle(), FfiConverterTypeProvidersQuestion_lower(question), none, $0)
        }
    }

    private var none: RustBuffer { buffer([0]) }

    private func buffer(_ text: String) -> RustBuffer { buffer(Array(text.utf8)) }

    private func buffer(_ bytes: [UInt8]) -> RustBuffer {
        var status = RustCallStatus()
        return bytes.withUnsafeBufferPointer {
            ffi_coverdex_mobile_rustbuffer_from_bytes(
                ForeignBytes(len: Int32($0.count), data: $0.baseAddress), &status)
        }
    }

    private func call(_ function: (UnsafeMutablePointer<RustCallStatus>) -> RustBuffer) throws {
        var status = RustCallStatus()
        let answer = function(&status)
        guard status.code == 0 else { throw Questions.Nothing(what: "answer came: code \(status.code)") }
        ffi_coverdex_mobile_rustbuffer_free(answer, &status)
    }
}

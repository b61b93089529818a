package org.coverdex

/**
 * Statuses of calls that went well, for the next calls of the same thread: to make one costs more than a call. The
 * generated code asks here; see the script `generate`.
 */
internal object KeptStatuses {
    private val kept = object : ThreadLocal<ArrayDeque<UniffiRustCallStatus>>() {
        override fun initialValue() = ArrayDeque<UniffiRustCallStatus>()
    }

    /** A status that says success. A call may be made while another's arguments are, so there may be several. */
    fun take(): UniffiRustCallStatus = kept.get()!!.removeLastOrNull() ?: UniffiRustCallStatus()

    /** Keeps the status of a call that went well; that of one that failed is dropped. */
    fun keep(status: UniffiRustCallStatus): Unit = kept.get()!!.addLast(status)
}

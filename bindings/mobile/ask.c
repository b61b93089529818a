// Asks the phone library as it ships a few questions, through the interface that Kotlin and Swift call, and writes the
// bytes of its answers: ask DATASET PLAN DRUG SPECIALTY [TIMES]
//
// The answers of one machine's library are those of another's, byte for byte: `arm` compares them. With TIMES each
// question is asked that often, and the time that one in twenty stays below is said: what a busy machine spoils least.
// The declarations are those that coverdex-bindgen writes from the library.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifndef __clang__
#define _Nonnull
#define _Nullable
#endif
#include "coverdex_mobileFFI.h"

static int failed = 0;

static RustBuffer lent(const uint8_t *data, size_t length) {
    RustCallStatus status = {0};
    ForeignBytes bytes = {.len = (int32_t)length, .data = data};
    return ffi_coverdex_mobile_rustbuffer_from_bytes(bytes, &status);
}

static RustBuffer text(const char *words) { return lent((const uint8_t *)words, strlen(words)); }

static RustBuffer none(void) { return lent((const uint8_t *)"\0", 1); }

// A record as the interface wants it: numbers with the highest byte first, texts behind their length.
static uint8_t record[1024];
static size_t written;

static void put(const void *bytes, size_t length) {
    if (written + length > sizeof record) abort();
    memcpy(record + written, bytes, length);
    written += length;
}
static void put_byte(uint8_t value) { put(&value, 1); }
static void put_number(uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) put_byte((uint8_t)(value >> shift));
}
static void put_text(const char *words) {
    put_number((uint32_t)strlen(words));
    put(words, strlen(words));
}
static void put_some(const char *words) {
    put_byte(1);
    put_text(words);
}
static void put_none(int count) {
    while (count-- > 0) put_byte(0);
}

static RustBuffer drugs_question(const char *words, const char *plan) {
    written = 0;
    put_text(words);
    put_some(plan);
    put_number(10); // at most
    put_byte(1);    // with codes
    put_none(1);    // page
    return lent(record, written);
}

static RustBuffer providers_question(const char *plan, const char *specialty) {
    written = 0;
    put_some(plan);
    put_none(4); // network, its kind, place, radius
    put_some(specialty);
    put_none(4);    // name, kind, gender, language
    put_byte(0);    // accepting
    put_none(1);    // city
    put_number(20); // at most
    put_number(0);  // passed over
    put_none(1);    // page
    put_byte(1);    // similar ones counted
    return lent(record, written);
}

static const char *plan, *drug, *specialty;
static uint64_t dataset;

// A question takes the dataset's handle with it: each call gets one of its own.
static uint64_t handle(void) {
    RustCallStatus status = {0};
    return uniffi_coverdex_mobile_fn_clone_nativedataset(dataset, &status);
}
static RustBuffer info(RustCallStatus *status) {
    return uniffi_coverdex_mobile_fn_method_nativedataset_info(handle(), none(), status);
}
static RustBuffer coverage(RustCallStatus *status) {
    return uniffi_coverdex_mobile_fn_method_nativedataset_coverage(handle(), text(plan), text(drug), none(), none(), status);
}
static RustBuffer explained(RustCallStatus *status) {
    return uniffi_coverdex_mobile_fn_method_nativedataset_explain_coverage(handle(), text(plan), text(drug), none(), none(),
                                                                           status);
}
static RustBuffer typed(RustCallStatus *status) {
    return uniffi_coverdex_mobile_fn_method_nativedataset_search_drugs(handle(), drugs_question(drug, plan), none(), status);
}
static RustBuffer providers(RustCallStatus *status) {
    return uniffi_coverdex_mobile_fn_method_nativedataset_search_providers(handle(), providers_question(plan, specialty),
                                                                           none(), status);
}
static RustBuffer counties(RustCallStatus *status) {
    return uniffi_coverdex_mobile_fn_method_nativedataset_counties(handle(), text("Washington"), none(), status);
}
// What has no answer must come as an error.
static RustBuffer unknown(RustCallStatus *status) {
    return uniffi_coverdex_mobile_fn_method_nativedataset_coverage(handle(), text("no such plan"), text(drug), none(), none(),
                                                                   status);
}

static int by_time(const void *a, const void *b) {
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static void ask(const char *name, RustBuffer (*question)(RustCallStatus *), int expected, bool ordered, int times) {
    uint64_t *took = calloc((size_t)times, sizeof *took);
    if (!took) abort();
    for (int i = 0; i < times; i++) {
        RustCallStatus status = {0}, freed = {0};
        struct timespec before, after;
        clock_gettime(CLOCK_MONOTONIC, &before);
        RustBuffer answer = question(&status);
        clock_gettime(CLOCK_MONOTONIC, &after);
        took[i] = (uint64_t)(after.tv_sec - before.tv_sec) * 1000000000u + (uint64_t)after.tv_nsec - (uint64_t)before.tv_nsec;
        if (status.code != 0) answer = status.errorBuf;
        if (status.code != expected || answer.len == 0) {
            fprintf(stderr, "%s: status %d, %llu bytes: %.*s\n", name, status.code, (unsigned long long)answer.len,
                    (int)answer.len, (const char *)answer.data);
            failed = 1;
        } else if (i == 0) {
            printf("%s %llu\n", name, (unsigned long long)answer.len);
            if (ordered) fwrite(answer.data, 1, answer.len, stdout);
        }
        ffi_coverdex_mobile_rustbuffer_free(answer, &freed);
    }
    qsort(took, (size_t)times, sizeof *took, by_time);
    if (times > 1) fprintf(stderr, "%-10s %9.1f us\n", name, (double)took[times / 20] / 1000.0);
    free(took);
}

int main(int argc, char **argv) {
    if (argc < 5) {
        fprintf(stderr, "usage: ask DATASET PLAN DRUG SPECIALTY [TIMES]\n");
        return 2;
    }
    RustCallStatus status = {0};
    plan = argv[2], drug = argv[3], specialty = argv[4];
    int times = argc > 5 ? atoi(argv[5]) : 1;
    dataset = uniffi_coverdex_mobile_fn_constructor_nativedataset_open(text(argv[1]), &status);
    if (status.code != 0) {
        fprintf(stderr, "%s does not open: %.*s\n", argv[1], (int)status.errorBuf.len, (const char *)status.errorBuf.data);
        return 1;
    }
    // Its counts are a map: they come in any order.
    ask("info", info, 0, false, times);
    ask("coverage", coverage, 0, true, times);
    ask("explained", explained, 0, true, times);
    ask("drugs", typed, 0, true, times);
    ask("providers", providers, 0, true, times);
    ask("counties", counties, 0, true, times);
    ask("unknown", unknown, 1, true, times);
    uniffi_coverdex_mobile_fn_free_nativedataset(dataset, &status);
    return failed;
}

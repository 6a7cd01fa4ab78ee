#ifndef RLVET_EXPORT_H
#define RLVET_EXPORT_H

#include <stdint.h>

// One visible node of the tree in pre-order; Go's flatNode has the same layout.
typedef struct {
  uint16_t symbol;
  uint8_t field, flags;
  uint32_t start, end, parent, next;
} flat_node;

enum { FLAT_NAMED = 1, FLAT_MISSING = 2, FLAT_EXTRA = 4, FLAT_ERROR = 8 };

// rlvet_export writes the tree under the handle to out and returns the number
// of its nodes. Where that exceeds capacity nothing is written. It returns -1
// when memory is short or the tree contradicts its own node count.
int64_t rlvet_export(const void *handle, flat_node *out, uint32_t capacity);

// rlvet_thread returns a number for the calling thread by which any thread may
// ask for its processor time while it lives.
int64_t rlvet_thread(void);

// rlvet_thread_nanos returns the processor time of a thread in nanoseconds, or
// -1 where the system does not tell.
int64_t rlvet_thread_nanos(int64_t thread);

#endif

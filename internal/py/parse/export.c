// The export of a parsed tree into a flat array, in one crossing from Go.
//
// A tree-sitter tree contains more nodes than its users see: hidden rules are
// spliced into the nearest visible ancestor, some visible nodes carry another
// name by an alias that belongs to the parent's production, and a field of a
// hidden child is inherited by that child's children. The walk below honours
// the three, with a stack of its own, since a source of a million opening
// brackets makes a tree that is as deep.
#include "export.h"

#include <stdlib.h>
#include <string.h>

#include "layout.h"

#define ERROR_SYMBOL 0xFFFF
#define NO_NODE UINT32_MAX

// A frame is one subtree whose children are being visited.
typedef struct {
  const subtree *children;
  uint32_t count, index, structural;
  uint32_t position;  // where the next child's padding starts
  uint32_t container; // the arena index of the nearest visible node
  uint32_t opened;    // the arena index to close with this frame, or NO_NODE
  uint8_t field;      // what hidden frames hand on to their children
  const uint16_t *aliases;
  const field_entry *fields, *fields_end;
} frame;

static inline bool is_extra(subtree s) { return s.leaf.is_inline ? s.leaf.extra : s.heap->extra; }
static inline bool is_visible(subtree s) { return s.leaf.is_inline ? s.leaf.visible : s.heap->visible; }
static inline bool is_named(subtree s) { return s.leaf.is_inline ? s.leaf.named : s.heap->named; }
static inline bool is_missing(subtree s) { return s.leaf.is_inline ? s.leaf.is_missing : s.heap->is_missing; }
static inline uint16_t symbol_of(subtree s) { return s.leaf.is_inline ? s.leaf.symbol : s.heap->symbol; }
static inline uint32_t padding_of(subtree s) { return s.leaf.is_inline ? s.leaf.padding_bytes : s.heap->padding.bytes; }
static inline uint32_t size_of(subtree s) { return s.leaf.is_inline ? s.leaf.size_bytes : s.heap->size.bytes; }
static inline uint32_t children_of(subtree s) { return s.leaf.is_inline ? 0 : s.heap->child_count; }

static uint8_t flags_of(const language *lang, subtree s, uint16_t alias) {
  uint8_t flags = 0;
  if (alias ? lang->symbols[alias].named : is_named(s)) flags |= FLAT_NAMED;
  if (is_missing(s)) flags |= FLAT_MISSING | FLAT_ERROR;
  if (is_extra(s)) flags |= FLAT_EXTRA;
  if (!s.leaf.is_inline && s.heap->error_cost > 0) flags |= FLAT_ERROR;
  return flags;
}

static inline uint16_t public_symbol(const language *lang, uint16_t symbol) {
  return symbol == ERROR_SYMBOL ? symbol : lang->public_symbols[symbol];
}

static void enter(frame *f, const language *lang, subtree s, uint32_t position) {
  uint16_t production = s.heap->production_id;
  f->count = s.heap->child_count;
  f->children = (const subtree *)s.heap - f->count;
  f->index = f->structural = 0;
  f->position = position;
  f->aliases = production ? lang->alias_sequences + production * lang->max_alias_sequence_length : NULL;
  f->fields = lang->field_entries + lang->field_slices[production].index;
  f->fields_end = f->fields + lang->field_slices[production].length;
}

static uint8_t field_of(const frame *f, uint32_t structural) {
  for (const field_entry *e = f->fields; e < f->fields_end; e++)
    if (!e->inherited && e->child_index == structural) return e->field;
  return f->field;
}

int64_t rlvet_export(const void *handle, flat_node *out, uint32_t capacity) {
  const node_handle *node = handle;
  const language *lang = node->tree->lang;
  subtree root = *node->id;
  uint32_t total = 1 + (children_of(root) ? root.heap->visible_descendant_count : 0);
  if (total > capacity) return total;

  uint32_t depth = 0, limit = 256, written = 1;
  frame *stack = malloc(limit * sizeof(frame));
  if (!stack) return -1;
  out[0] = (flat_node){public_symbol(lang, symbol_of(root)), 0, flags_of(lang, root, 0),
                       node->start, node->start + size_of(root), 0, 1};
  if (children_of(root)) {
    enter(&stack[0], lang, root, node->start);
    stack[0].container = stack[0].opened = 0;
    stack[0].field = 0;
    depth = 1;
  }
  while (depth > 0) {
    frame *f = &stack[depth - 1];
    if (f->index == f->count) {
      if (f->opened != NO_NODE) out[f->opened].next = written;
      depth--;
      continue;
    }
    subtree child = f->children[f->index];
    bool extra = is_extra(child);
    uint16_t alias = !extra && f->aliases ? f->aliases[f->structural] : 0;
    uint8_t field = extra ? 0 : field_of(f, f->structural);
    // A subtree's own position begins after its padding; the first child's
    // padding is its parent's.
    uint32_t start = f->position + (f->index ? padding_of(child) : 0);
    f->position = start + size_of(child);
    f->index++;
    if (!extra) f->structural++;

    bool visible = is_visible(child) || alias;
    uint32_t opened = NO_NODE, container = f->container;
    if (visible) {
      if (written == total) {
        free(stack);
        return -1;
      }
      out[written] = (flat_node){public_symbol(lang, alias ? alias : symbol_of(child)), field,
                                 flags_of(lang, child, alias), start, start + size_of(child),
                                 container, written + 1};
      opened = container = written++;
    }
    if (!children_of(child) || (!visible && !child.heap->visible_child_count)) continue;
    if (depth == limit) {
      frame *grown = realloc(stack, 2 * (size_t)limit * sizeof(frame));
      if (!grown) {
        free(stack);
        return -1;
      }
      stack = grown;
      limit *= 2;
    }
    frame *next = &stack[depth++];
    enter(next, lang, child, start);
    next->container = container;
    next->opened = opened;
    next->field = visible ? 0 : field;
  }
  free(stack);
  return written == total ? (int64_t)total : -1;
}

// Memory layout of the parsed tree of the pinned tree-sitter runtime (0.22,
// language ABI 14), as far as the export reads it. Only data is declared here:
// nothing has to be linked. TestArenaEqualsCursor fails when the pinned
// version changes its layout.
#ifndef RLVET_LAYOUT_H
#define RLVET_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the layout of inline subtrees is declared for little-endian machines only"
#endif

typedef struct { uint32_t bytes, row, column; } extent;

// A small leaf, stored in the pointer's own eight bytes. The lowest bit is set,
// which no aligned pointer has.
typedef struct {
  bool is_inline : 1, visible : 1, named : 1, extra : 1;
  bool has_changes : 1, is_missing : 1, is_keyword : 1;
  uint8_t symbol;
  uint16_t parse_state;
  uint8_t padding_columns;
  uint8_t padding_rows : 4, lookahead_bytes : 4;
  uint8_t padding_bytes;
  uint8_t size_bytes;
} inline_leaf;

// Any other subtree. Its children lie directly before it in memory.
typedef struct {
  volatile uint32_t ref_count;
  extent padding, size;
  uint32_t lookahead_bytes, error_cost, child_count;
  uint16_t symbol, parse_state;
  bool visible : 1, named : 1, extra : 1;
  bool fragile_left : 1, fragile_right : 1, has_changes : 1;
  bool has_external_tokens : 1, has_external_state_change : 1;
  bool depends_on_column : 1, is_missing : 1, is_keyword : 1;
  union {
    struct {
      uint32_t visible_child_count, named_child_count, visible_descendant_count;
      int32_t dynamic_precedence;
      uint16_t repeat_depth, production_id;
    };
    struct { char state[24]; uint32_t length; } external_state;
  };
} heap_subtree;

typedef union {
  inline_leaf leaf;
  const heap_subtree *heap;
} subtree;

typedef struct { uint16_t field; uint8_t child_index; bool inherited; } field_entry;
typedef struct { uint16_t index, length; } field_slice;
typedef struct { bool visible, named, supertype; } symbol_metadata;

typedef struct {
  uint32_t version, symbol_count, alias_count, token_count, external_token_count;
  uint32_t state_count, large_state_count, production_id_count, field_count;
  uint16_t max_alias_sequence_length;
  const void *parse_table, *small_parse_table, *small_parse_table_map, *parse_actions;
  const char *const *symbol_names, *const *field_names;
  const field_slice *field_slices;
  const field_entry *field_entries;
  const symbol_metadata *symbols;
  const uint16_t *public_symbols;
  const uint16_t *alias_map;
  const uint16_t *alias_sequences;
} language;

typedef struct { subtree root; const language *lang; } tree;

// The public handle of a node.
typedef struct { uint32_t start, row, column, alias; const subtree *id; const tree *tree; } node_handle;

#endif

/* Propagates graphs from C, and from whatever calls C: libfakeprop.so. The Python package uses it (python/fakeprop).
 *
 *   char* said = NULL;
 *   fakeprop_graph* graph = fakeprop_read_graph(bytes, size, "model.json", &said);
 *   char* annotations = graph ? fakeprop_propagate(graph, NULL, &said) : NULL;
 *   puts(annotations ? annotations : said);
 *   fakeprop_free_text(annotations), fakeprop_free_text(said), fakeprop_free_graph(graph);
 *
 * Texts are UTF-8 and end with a null byte. A function with a parameter `said` sets it to the diagnostics as the
 * command line prints them, or to NULL if there are none; the parameter itself may be NULL. The caller frees each text
 * that it gets. Several threads may call these functions at the same time, also with one graph. */
#ifndef FAKEPROP_C_API_H_
#define FAKEPROP_C_API_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* Grows with each change that a caller can notice. */
#define FAKEPROP_C_API_VERSION 4

/* FAKEPROP_C_API_VERSION of the library. */
int fakeprop_c_api_version(void);
/* "0.1.0". Not to be freed. */
const char* fakeprop_version(void);

void fakeprop_free_text(char* text);

typedef struct fakeprop_graph fakeprop_graph;

/* Reads the bytes of a graph file of any kind (docs/formats.md). `name` stands for the file in diagnostics and
 * annotations. Returns NULL if the bytes are malformed or of an unknown version. No weights are read. */
fakeprop_graph* fakeprop_read_graph(const char* bytes, size_t size, const char* name, char** said);
void fakeprop_free_graph(fakeprop_graph* graph);

/* An input spec to start from, as JSON (fakeprop.inputs/1). */
char* fakeprop_input_spec(const fakeprop_graph* graph);

/* Zeros are the defaults. */
typedef struct fakeprop_options {
  const char* inputs;   /* an input spec as JSON (fakeprop.inputs/1). NULL: the inputs are as the file recorded them */
  const char* op_rules; /* rules for custom operators as JSON (fakeprop.op_rules/1). NULL: none */
  int keep_going;       /* not 0: after an error, go on with the nodes that do not depend on it */
  int no_grad;          /* not 0: grad mode is off at the start */
  int concrete;         /* not 0: symbols become their hints */
  int use_libtorch;     /* not 0: operators without a rule go to LibTorch's plug-in, if it is found */
} fakeprop_options;

/* The annotations of all nodes, as JSON (fakeprop.annotations/1). A node's error is part of them, and of `said`.
 * Returns NULL if the spec or the rules are malformed or do not fit the graph. `options` may be NULL. */
char* fakeprop_propagate(const fakeprop_graph* graph, const fakeprop_options* options, char** said);

/* The same; what it found can be asked for as JSON, and as numbers, which a caller reads quicker. */
typedef struct fakeprop_annotations fakeprop_annotations;
fakeprop_annotations* fakeprop_annotate(const fakeprop_graph* graph, const fakeprop_options* options, char** said);
void fakeprop_free_annotations(fakeprop_annotations* annotations);
char* fakeprop_annotations_json(const fakeprop_annotations* annotations);

/* The values of all nodes as numbers: the count of storages, the bytes of each; the count of nodes, the position in
 * `numbers` of each one's value; the values. A value starts with its kind. Where bytes, an offset, a size or a stride
 * is the expression number n over symbols, it stands as -1 - n. */
enum {
  FAKEPROP_VALUE_NONE,   /* nothing more; also for text, dtypes and other values that are neither tensors nor numbers */
  FAKEPROP_VALUE_INT,    /* the number */
  FAKEPROP_VALUE_BOOL,   /* 0 or 1 */
  FAKEPROP_VALUE_FLOAT,  /* the bits of the double */
  FAKEPROP_VALUE_LIST,   /* also of a tuple: the count of items, the items */
  FAKEPROP_VALUE_TENSOR, /* storage, dtype and device (both as numbers of names), flags, offset, rank, sizes, strides */
  FAKEPROP_VALUE_SYMINT  /* the number of its expression */
};
enum {
  FAKEPROP_TENSOR_NOT_STRIDED = 1,
  FAKEPROP_TENSOR_CONJ = 2,
  FAKEPROP_TENSOR_NEG = 4,
  FAKEPROP_TENSOR_REQUIRES_GRAD = 8
};

typedef struct fakeprop_values {
  const int64_t* numbers;
  size_t count;
  const char* names;       /* of dtypes and devices, one on each line */
  const char* expressions; /* one on each line */
  const char* symbols; /* a JSON object with "symbols" and "guards" as in the annotations. NULL: there are no symbols */
} fakeprop_values;

/* Not to be freed, and gone with the annotations. Returns NULL if something cannot be told in numbers: errors,
 * subgraphs, unbacked symbols, dicts, floats and bools over symbols. */
const fakeprop_values* fakeprop_annotations_values(const fakeprop_annotations* annotations);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif

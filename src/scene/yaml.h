// SPDX-License-Identifier: Apache-2.0
// A YAML text as a tree whose every node knows its line and column.
//
// Taken is the part of YAML that a scene needs: maps with text keys, lists and scalars. Refused,
// with the place and what to do instead: anchors, aliases and tags, a second document, text that is
// not UTF-8. A key given twice is kept and marked, for the reader to report. Size, depth and number
// of nodes and keys are capped, and reading stops at the first event past a cap, so that no input
// takes long.
#ifndef PAL_SCENE_YAML_H
#define PAL_SCENE_YAML_H

#include <palpate/base.h>

enum
{
    pal_yamlMaxBytes = 16 << 20,
    pal_yamlMaxDepth = 16,
    pal_yamlMaxNodes = 200000,
    pal_yamlMaxKeys = 1000, // of one map: each is compared with those before it
};

typedef enum palYamlKind
{
    pal_yamlScalar,
    pal_yamlList,
    pal_yamlMap,
} palYamlKind;

typedef struct palYamlNode palYamlNode;
struct palYamlNode
{
    palYamlKind kind;
    bool plain;  // scalar written without quotes
    char* text;  // owned; scalar: its value, else NULL
    char* key;   // owned; NULL outside a map
    int line;    // 1-based, of the value
    int column;  // 1-based, in characters
    int keyLine; // of the key; the value's outside a map
    int keyColumn;
    int twinLine;       // the key was given before, in this line; 0: it was not
    int origin;         // -1: the file; i: the i-th change, or what a program gave (faults.h)
    char* fileText;     // owned; the file's scalar that a change has replaced, or NULL
    int childCount;     // list, map
    palYamlNode* first; // owned children in order
    palYamlNode* last;
    palYamlNode* next; // the sibling
};

/// Reads one document. An empty text gives *root = NULL and pal_ok. On failure nothing is left to
/// free; the error has line and column but no file. Every node gets `origin`.
palResult palYaml_Parse(const char* text, size_t length, int origin, palYamlNode** root,
                        palError* error);

/// Frees a node and all below it; NULL is allowed.
void palYamlNode_Destroy(palYamlNode* node);

/// An empty map or list made by hand, or NULL without memory.
palYamlNode* palYamlNode_Create(palYamlKind kind, int origin);

/// A scalar made by hand, or NULL without memory.
palYamlNode* palYamlNode_CreateScalar(const char* text, bool plain, int origin);

/// A copy of a node and all below it, with its key, or NULL without memory.
palYamlNode* palYamlNode_Copy(const palYamlNode* node);

/// Names a node. Returns false without memory.
bool palYamlNode_SetKey(palYamlNode* node, const char* key);

/// The child of that name, or NULL; also where `map` is NULL or no map.
palYamlNode* palYamlNode_Find(const palYamlNode* map, const char* key);

/// The child of that index, or NULL.
palYamlNode* palYamlNode_At(const palYamlNode* list, int index);

/// Appends a child, which the parent then owns.
void palYamlNode_Append(palYamlNode* parent, palYamlNode* child);

/// Puts `other` in the place of a child, which is freed; NULL takes the child out. `other` keeps
/// what the file said there as its fileText.
void palYamlNode_Replace(palYamlNode* parent, palYamlNode* child, palYamlNode* other);

/// Makes a child of one parent the last child of another, key and all.
void palYamlNode_Move(palYamlNode* from, palYamlNode* child, palYamlNode* to);

/// Whether a key has no value.
bool palYamlNode_IsNothing(const palYamlNode* node);

/// "a map", "a list", "text", "nothing": what a message calls the node.
const char* palYamlNode_Describe(const palYamlNode* node);

#endif

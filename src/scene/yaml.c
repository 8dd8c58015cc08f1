// SPDX-License-Identifier: Apache-2.0
#include "scene/yaml.h"

#include "base/error.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

void palYamlNode_Destroy(palYamlNode* node)
{
    if (node == NULL)
        return;
    for (palYamlNode* child = node->first; child != NULL;)
    {
        palYamlNode* next = child->next;
        palYamlNode_Destroy(child);
        child = next;
    }
    free(node->text);
    free(node->key);
    free(node->fileText);
    free(node);
}

palYamlNode* palYamlNode_Create(palYamlKind kind, int origin)
{
    palYamlNode* node = calloc(1, sizeof *node);
    if (node == NULL)
        return NULL;
    node->kind = kind;
    node->origin = origin;
    return node;
}

palYamlNode* palYamlNode_CreateScalar(const char* text, bool plain, int origin)
{
    palYamlNode* node = palYamlNode_Create(pal_yamlScalar, origin);
    char* copy = strdup(text);
    if (node == NULL || copy == NULL)
    {
        free(node);
        free(copy);
        return NULL;
    }
    node->text = copy;
    node->plain = plain;
    return node;
}

// A copy of a text that may be missing. Returns false without memory.
static bool copyText(const char* text, char** copy)
{
    *copy = text != NULL ? strdup(text) : NULL;
    return *copy != NULL || text == NULL;
}

palYamlNode* palYamlNode_Copy(const palYamlNode* node)
{
    palYamlNode* copy = palYamlNode_Create(node->kind, node->origin);
    if (copy == NULL)
        return NULL;
    *copy = *node;
    copy->first = copy->last = copy->next = NULL;
    copy->childCount = 0;
    bool isWhole = copyText(node->text, &copy->text);
    isWhole = copyText(node->key, &copy->key) && isWhole;
    isWhole = copyText(node->fileText, &copy->fileText) && isWhole;
    for (const palYamlNode* child = node->first; child != NULL && isWhole; child = child->next)
    {
        palYamlNode* below = palYamlNode_Copy(child);
        isWhole = below != NULL;
        if (isWhole)
            palYamlNode_Append(copy, below);
    }
    if (isWhole)
        return copy;
    palYamlNode_Destroy(copy);
    return NULL;
}

bool palYamlNode_SetKey(palYamlNode* node, const char* key)
{
    char* copy = strdup(key);
    if (copy == NULL)
        return false;
    free(node->key);
    node->key = copy;
    return true;
}

palYamlNode* palYamlNode_Find(const palYamlNode* map, const char* key)
{
    if (map == NULL || map->kind != pal_yamlMap)
        return NULL;
    for (palYamlNode* child = map->first; child != NULL; child = child->next)
        if (strcmp(child->key, key) == 0)
            return child;
    return NULL;
}

palYamlNode* palYamlNode_At(const palYamlNode* list, int index)
{
    palYamlNode* child = list->first;
    for (int i = 0; i < index && child != NULL; i++)
        child = child->next;
    return child;
}

void palYamlNode_Append(palYamlNode* parent, palYamlNode* child)
{
    if (parent->last != NULL)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->childCount++;
}

// Puts `other`, or nothing, in the place of a child.
static void exchange(palYamlNode* parent, palYamlNode* child, palYamlNode* other)
{
    palYamlNode** link = &parent->first;
    palYamlNode* before = NULL;
    for (; *link != child; link = &before->next)
        before = *link;
    *link = other != NULL ? other : child->next;
    if (other != NULL)
        other->next = child->next;
    if (parent->last == child)
        parent->last = other != NULL ? other : before;
    parent->childCount -= other == NULL;
    child->next = NULL;
}

void palYamlNode_Replace(palYamlNode* parent, palYamlNode* child, palYamlNode* other)
{
    exchange(parent, child, other);
    if (other != NULL)
    {
        char** text = child->origin < 0 ? &child->text : &child->fileText;
        other->fileText = *text;
        *text = NULL;
    }
    palYamlNode_Destroy(child);
}

void palYamlNode_Move(palYamlNode* from, palYamlNode* child, palYamlNode* to)
{
    exchange(from, child, NULL);
    palYamlNode_Append(to, child);
}

bool palYamlNode_IsNothing(const palYamlNode* node)
{
    return node->kind == pal_yamlScalar && node->plain && node->text[0] == '\0';
}

const char* palYamlNode_Describe(const palYamlNode* node)
{
    if (node->kind == pal_yamlMap)
        return "a map";
    if (node->kind == pal_yamlList)
        return "a list";
    return palYamlNode_IsNothing(node) ? "nothing" : "text";
}

// YAML's printable characters (YAML 1.2, production 1); a byte order mark may only come first.
static bool isPrintable(const unsigned char* at, size_t length, bool first)
{
    if (length == 1)
        return (at[0] >= 0x20 && at[0] != 0x7F) || at[0] == '\t' || at[0] == '\n' || at[0] == '\r';
    if (length == 2)
        return at[0] != 0xC2 || at[1] >= 0xA0 || at[1] == 0x85;
    if (length == 3 && at[0] == 0xEF && at[1] == 0xBB && at[2] == 0xBF)
        return first;
    return length != 3 || at[0] != 0xEF || at[1] != 0xBF || at[2] < 0xBE;
}

// Refuses what libyaml would report without a line: bytes that are not UTF-8, control characters.
static palResult checkCharacters(const char* text, size_t length, palError* error)
{
    const unsigned char* bytes = (const unsigned char*)text;
    int line = 1;
    int column = 1;
    for (size_t i = 0; i < length;)
    {
        size_t step = palUtf8_Length(bytes + i, length - i);
        if (step == 0 || !isPrintable(bytes + i, step, i == 0))
        {
            palError_Set(error, pal_errorInput, "%s (byte 0x%02x)",
                         step == 0 ? "this is not UTF-8" : "control character", bytes[i]);
            palError_Remedy(error, "save the file as UTF-8 text");
            return palError_At(error, NULL, line, column);
        }
        column++;
        if (bytes[i] == '\n')
        {
            line++;
            column = 1;
        }
        i += step;
    }
    return pal_ok;
}

// What is needed while libyaml's events become nodes.
typedef struct Builder
{
    yaml_parser_t parser;
    palYamlNode* root;                   // owned until the end
    palYamlNode* open[pal_yamlMaxDepth]; // maps and lists not yet ended
    int depth;                           // of them
    int nodeCount;                       // keys not counted
    palYamlNode* pending;                // owned: has its key and waits for its value
    int origin;
    const char* text;
    size_t length;
    palError* error;
} Builder;

static palResult refuse(Builder* builder, yaml_mark_t mark, const char* text, const char* remedy)
{
    palError_Set(builder->error, pal_errorInput, "%s", text);
    palError_Remedy(builder->error, "%s", remedy);
    palError_At(builder->error, NULL, (int)mark.line + 1, (int)mark.column + 1);
    return pal_errorInput;
}

static palResult outOfMemory(Builder* builder)
{
    return palError_Memory(builder->error, "a YAML node", sizeof(palYamlNode));
}

// Whether the blanks that begin a line (0-based) hold a tab.
static bool isIndentedWithTab(const Builder* builder, size_t line)
{
    const char* at = builder->text;
    const char* end = at + builder->length;
    for (size_t i = 0; i < line && at != NULL; i++)
    {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at != NULL ? at + 1 : NULL;
    }
    for (; at != NULL && at < end && (*at == ' ' || *at == '\t'); at++)
        if (*at == '\t')
            return true;
    return false;
}

// Says in our words what libyaml stumbled over.
static palResult syntaxError(Builder* builder)
{
    const yaml_parser_t* parser = &builder->parser;
    if (parser->error == YAML_MEMORY_ERROR)
        return outOfMemory(builder);
    yaml_mark_t mark = parser->problem_mark;
    if (isIndentedWithTab(builder, mark.line))
        return refuse(builder, mark, "a tab indents this line", "YAML indents with spaces only");
    char begun[64] = "";
    if (parser->context != NULL && parser->context_mark.line != mark.line)
        snprintf(begun, sizeof begun, " begun in line %zu", parser->context_mark.line + 1);
    char text[256];
    snprintf(text, sizeof text, "not valid YAML: %s%s%s%s", parser->problem,
             parser->context != NULL ? " " : "", parser->context != NULL ? parser->context : "",
             begun);
    return refuse(builder, mark, text,
                  "look for a bracket, quote, colon or indentation that is missing here or above");
}

// Puts a node in its place: the root, or the next child of the innermost open map or list.
static void placeNode(Builder* builder, palYamlNode* node)
{
    if (builder->depth == 0)
        builder->root = node;
    else
        palYamlNode_Append(builder->open[builder->depth - 1], node);
}

static bool awaitsKey(const Builder* builder)
{
    return builder->depth > 0 && builder->open[builder->depth - 1]->kind == pal_yamlMap &&
           builder->pending == NULL;
}

// "\0" in double quotes: what follows would be cut off unseen.
static bool hasNul(const yaml_event_t* event)
{
    return strlen((const char*)event->data.scalar.value) != event->data.scalar.length;
}

// A key makes the node that its value will fill.
static palResult beginKey(Builder* builder, const yaml_event_t* event)
{
    yaml_mark_t mark = event->start_mark;
    if (event->type != YAML_SCALAR_EVENT)
        return refuse(builder, mark, "a key is a map or a list", "keys are words");
    if (hasNul(event))
        return refuse(builder, mark, "the text holds a NUL character", "remove the \\0");
    if (builder->open[builder->depth - 1]->childCount == pal_yamlMaxKeys)
        return refuse(builder, mark, "more than 1000 keys in a map", "no scene needs that");
    const char* key = (const char*)event->data.scalar.value;
    palYamlNode* node = palYamlNode_Create(pal_yamlScalar, builder->origin);
    if (node == NULL)
        return outOfMemory(builder);
    builder->pending = node;
    if (!palYamlNode_SetKey(node, key))
        return outOfMemory(builder);
    const palYamlNode* twin = palYamlNode_Find(builder->open[builder->depth - 1], key);
    node->twinLine = twin != NULL ? twin->keyLine : 0;
    node->keyLine = (int)mark.line + 1;
    node->keyColumn = (int)mark.column + 1;
    return pal_ok;
}

// Anchors, aliases and tags: an alias can make a small file unfold into a huge one.
static palResult refuseReferences(Builder* builder, const yaml_event_t* event)
{
    const yaml_char_t* anchor = NULL;
    const yaml_char_t* tag = NULL;
    if (event->type == YAML_ALIAS_EVENT)
        anchor = event->data.alias.anchor;
    if (event->type == YAML_SCALAR_EVENT)
        anchor = event->data.scalar.anchor, tag = event->data.scalar.tag;
    if (event->type == YAML_SEQUENCE_START_EVENT)
        anchor = event->data.sequence_start.anchor, tag = event->data.sequence_start.tag;
    if (event->type == YAML_MAPPING_START_EVENT)
        anchor = event->data.mapping_start.anchor, tag = event->data.mapping_start.tag;
    if (anchor != NULL)
        return refuse(builder, event->start_mark, "anchors (&) and aliases (*) are not used here",
                      "write the values out");
    if (tag != NULL)
        return refuse(builder, event->start_mark, "tags (!) are not used here", "remove the tag");
    return pal_ok;
}

// A scalar, or the begin of a list or map.
static palResult beginNode(Builder* builder, const yaml_event_t* event)
{
    if (refuseReferences(builder, event) != pal_ok)
        return pal_errorInput;
    if (awaitsKey(builder))
        return beginKey(builder, event);
    bool nests = event->type != YAML_SCALAR_EVENT;
    if (!nests && hasNul(event))
        return refuse(builder, event->start_mark, "the text holds a NUL character",
                      "remove the \\0");
    if (nests && builder->depth == pal_yamlMaxDepth)
        return refuse(builder, event->start_mark, "nested more than 16 deep",
                      "no key needs that; look for a bracket too many");
    if (++builder->nodeCount > pal_yamlMaxNodes)
        return refuse(builder, event->start_mark, "more than 200000 values",
                      "no scene needs that; put geometry into mesh files");
    palYamlNode* node = builder->pending;
    if (node == NULL)
        node = palYamlNode_Create(pal_yamlScalar, builder->origin);
    if (node == NULL)
        return outOfMemory(builder);
    builder->pending = NULL;
    placeNode(builder, node);
    node->line = (int)event->start_mark.line + 1;
    node->column = (int)event->start_mark.column + 1;
    if (node->key == NULL)
        node->keyLine = node->line, node->keyColumn = node->column;
    if (nests)
    {
        node->kind = event->type == YAML_MAPPING_START_EVENT ? pal_yamlMap : pal_yamlList;
        builder->open[builder->depth++] = node;
        return pal_ok;
    }
    node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    node->text = strdup((const char*)event->data.scalar.value);
    return node->text != NULL ? pal_ok : outOfMemory(builder);
}

static palResult handleEvent(Builder* builder, const yaml_event_t* event)
{
    switch (event->type)
    {
    case YAML_DOCUMENT_START_EVENT:
        if (builder->root != NULL)
            return refuse(builder, event->start_mark, "a second document starts here",
                          "keep one scene in a file");
        return pal_ok;
    case YAML_ALIAS_EVENT:
    case YAML_SCALAR_EVENT:
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        return beginNode(builder, event);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        builder->depth--;
        return pal_ok;
    default:
        return pal_ok;
    }
}

static palResult buildTree(Builder* builder)
{
    for (bool ended = false; !ended;)
    {
        yaml_event_t event;
        if (!yaml_parser_parse(&builder->parser, &event))
            return syntaxError(builder);
        ended = event.type == YAML_STREAM_END_EVENT;
        palResult result = handleEvent(builder, &event);
        yaml_event_delete(&event);
        if (result != pal_ok)
            return result;
    }
    return pal_ok;
}

palResult palYaml_Parse(const char* text, size_t length, int origin, palYamlNode** root,
                        palError* error)
{
    *root = NULL;
    if (length > pal_yamlMaxBytes)
    {
        palError_Set(error, pal_errorInput, "more than 16 MB of text");
        return palError_Remedy(error, "put geometry and recordings into files of their own");
    }
    palResult result = checkCharacters(text, length, error);
    if (result != pal_ok)
        return result;
    Builder builder = {.origin = origin, .text = text, .length = length, .error = error};
    if (!yaml_parser_initialize(&builder.parser))
        return palError_Memory(error, "the YAML parser", sizeof builder.parser);
    yaml_parser_set_input_string(&builder.parser, (const unsigned char*)text, length);
    result = buildTree(&builder);
    yaml_parser_delete(&builder.parser);
    palYamlNode_Destroy(builder.pending);
    if (result != pal_ok)
    {
        palYamlNode_Destroy(builder.root);
        return result;
    }
    *root = builder.root;
    return pal_ok;
}

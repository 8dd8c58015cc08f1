// SPDX-License-Identifier: Apache-2.0
// docs/scenes.md, written from the schema.
#include "base/assert.h"
#include "base/plain_locale.h"
#include "scene/scene.h"
#include "scene/setting.h"

#include <stdarg.h>
#include <stdio.h>

// The page so far. Past the end of `out` only the length grows.
typedef struct Page
{
    char* out;
    size_t size;
    size_t length;
    const palSchemaTable* written[64]; // tables that have their section
    int writtenCount;
} Page;

static void put(Page* page, const char* format, ...) PAL_PRINTF(2, 3);
static void put(Page* page, const char* format, ...)
{
    size_t at = page->length < page->size ? page->length : page->size;
    char* out = at < page->size ? page->out + at : NULL;
    va_list args;
    va_start(args, format);
    int length = vsnprintf(out, page->size - at, format, args);
    va_end(args);
    page->length += length > 0 ? (size_t)length : 0;
}

static const char opening[] =
    "# Scene files\n"
    "\n"
    "<!-- Written by `palpate check --reference`; change src/scene/schema.c, or the table of a\n"
    "driver in src/device, instead. -->\n"
    "\n"
    "A scene is a YAML file: what is there, how the hand moves, and at which rates. Numbers are "
    "in\n"
    "SI units and carry no unit; angles are in degrees. `palpate check SCENE` reports every fault "
    "of "
    "a\n"
    "file with its line and column and what is allowed there.\n"
    "\n"
    "```yaml\n"
    "palpate: 1\n"
    "name: ball\n"
    "time: {seconds: 2, dt: 0.001, low_dt: 0.033}\n"
    "method: {name: standard, radius: 0.02}\n"
    "coupling: {stiffness: 800, damping: 0.8}\n"
    "device: {driver: simulated, preset: omega.3}\n"
    "trajectory: {kind: press, object: 0, direction: [0, -1, 0], depth: 0.005}\n"
    "objects:\n"
    "  - name: ball\n"
    "    shape: {kind: sphere, radius: 0.04}\n"
    "    friction: 0.1\n"
    "  - mesh: part.stl\n"
    "    unit: mm\n"
    "    position: [0.1, 0, 0]\n"
    "```\n"
    "\n"
    "Files are named relative to the scene file. Anchors, aliases, tags, tabs as indentation and "
    "a\n"
    "second document in the file are refused, as are more than 16 MB and more than 16 levels.\n"
    "\n"
    "## Changing a value for one run\n"
    "\n"
    "`--set PATH=VALUE` changes any value below before the scene is checked. The path is keys and\n"
    "list indices joined by dots, the value is YAML:\n"
    "\n"
    "    --set time.seconds=10\n"
    "    --set method.name=penalty\n"
    "    --set objects.0.position=[0,0,0.1]\n"
    "    --set objects.0.mesh=part.stl --set objects.0.unit=mm\n"
    "    --set \"trajectory={kind: press, object: 0}\"\n"
    "\n"
    "An index one past the end of a list appends. Of keys that exclude each other (`mesh` and\n"
    "`shape`) the one set replaces the file's, and setting a `kind` drops the file's keys that "
    "the\n"
    "new kind does not use. Setting another `device.driver` than the file's drops all that the "
    "file\n"
    "says about its own driver. Of a scene with `hands` the first is at `hands.0.device.driver`.\n"
    "A file named in a `--set` is relative to the working directory.\n"
    "`palpate check SCENE --set PATH=VALUE --write FILE` writes the changed scene, with defaults\n"
    "as comments.\n";

// The type column: a type, or the names to choose from.
static void putType(Page* page, const palSchemaKey* key)
{
    bool isName = key->type == pal_schemaChoice || key->type == pal_schemaName;
    if (key->type == pal_schemaMap)
        put(page, "map, see below");
    else if (key->type == pal_schemaList)
        put(page,
            key->size > 0 ? "list of maps, see below; at most %zu" : "list of maps, see below",
            key->size);
    else if (isName && key->listedBy != NULL)
        put(page, "a name that `%s` lists", key->listedBy);
    else if (!isName)
        put(page, "%s", palSetting_TypeText(key));
    for (int i = 0; isName && key->listedBy == NULL && key->nameAt(i) != NULL; i++)
        put(page, "%s`%s`", i > 0 ? ", " : "", key->nameAt(i));
}

static void putRange(Page* page, const palSchemaKey* key)
{
    if (key->type != pal_schemaWhole && key->type != pal_schemaNumber &&
        key->type != pal_schemaVector && key->type != pal_schemaBox)
        return;
    char range[96];
    palSetting_FormatRange(key, range, sizeof range);
    put(page, "%s%s", range, key->nonZero ? ", not all zero" : "");
}

// The names of a group's keys: "`mesh` or `shape`".
static void putGroup(Page* page, const palSchemaTable* table, int group)
{
    bool first = true;
    for (int i = 0; i < table->keyCount; i++)
    {
        if (table->keys[i].group != group)
            continue;
        put(page, "%s`%s`", first ? "" : " or ", table->keys[i].name);
        first = false;
    }
}

static void putDefault(Page* page, const palSchemaTable* table, const palSchemaKey* key,
                       const void* record)
{
    char value[256];
    palSetting_FormatValue(key, record, value, sizeof value);
    if (key->required)
        put(page, "required");
    else if (key->group != 0)
        putGroup(page, table, key->group);
    else
        put(page, "%s", value);
}

// Whether the table's keys have defaults that depend on the kind.
static bool hasDefaultsByKind(const palSchemaTable* table)
{
    return table->byKind && table->kindTableAt == NULL;
}

// One row for each key. Where the default depends on the kind, putKinds gives it.
static void putKeys(Page* page, const palSchemaTable* table, const void* record)
{
    put(page, hasDefaultsByKind(table)
                  ? "| key | type | range | meaning |\n|---|---|---|---|\n"
                  : "| key | type | range | default | meaning |\n|---|---|---|---|---|\n");
    for (int i = 0; i < table->keyCount; i++)
    {
        const palSchemaKey* key = &table->keys[i];
        put(page, "| `%s` | ", key->name);
        putType(page, key);
        put(page, " | ");
        putRange(page, key);
        put(page, " | ");
        if (!hasDefaultsByKind(table))
        {
            putDefault(page, table, key, record);
            put(page, " | ");
        }
        put(page, "%s |\n", key->meaning);
    }
}

// One row for each kind: the keys it uses, with their defaults.
static void putKinds(Page* page, const palSchemaTable* table, void* record)
{
    put(page, "\n| kind | keys and their defaults |\n|---|---|\n");
    for (int kind = 0; table->keys[0].nameAt(kind) != NULL; kind++)
    {
        palSetting_SetDefaults(table, kind, record);
        put(page, "| `%s` |", table->keys[0].nameAt(kind));
        int lastGroup = 0;
        bool first = true;
        for (int i = 1; i < table->keyCount; i++)
        {
            const palSchemaKey* key = &table->keys[i];
            if (!palSchema_Uses(key, kind) || (key->group != 0 && key->group == lastGroup))
                continue;
            lastGroup = key->group;
            put(page, first ? " " : ", ");
            first = false;
            if (key->group == 0)
                put(page, "`%s` ", key->name);
            putDefault(page, table, key, record);
        }
        put(page, " |\n");
    }
}

// One row for each kind whose keys are in a table of their own: them with their defaults.
static void putKindTables(Page* page, const palSchemaTable* table, void* record)
{
    const palSchemaKey* first = &table->keys[0];
    put(page, "\n| %s | its keys and their defaults |\n|---|---|\n", first->name);
    for (int kind = 0; first->nameAt(kind) != NULL; kind++)
    {
        const palSchemaTable* further = palSchema_KindTable(table, kind);
        put(page, "| `%s` | ", first->nameAt(kind));
        if (further == NULL)
            put(page, "none");
        else
            palSetting_SetDefaults(further, -1, record);
        for (int i = 0; further != NULL && i < further->keyCount; i++)
        {
            const palSchemaKey* key = &further->keys[i];
            put(page, "%s`%s`%s", i > 0 ? ", " : "", key->name,
                key->table != NULL ? " (see below)" : " ");
            putDefault(page, further, key, record);
        }
        put(page, " |\n");
    }
}

// A table's section, then those of the tables below it, each once. `record` is room for any
// table's struct.
static void putTable(Page* page, const palSchemaTable* table, void* record)
{
    PAL_ASSERT(table->size <= sizeof(palScene));
    for (int i = 0; i < page->writtenCount; i++)
        if (page->written[i] == table)
            return;
    PAL_ASSERT(page->writtenCount < (int)(sizeof page->written / sizeof page->written[0]));
    page->written[page->writtenCount++] = table;
    palSetting_SetDefaults(table, -1, record);
    put(page, "\n## %s\n\n", table->title);
    if (table->intro != NULL)
        put(page, "%s\n\n", table->intro);
    putKeys(page, table, record);
    if (hasDefaultsByKind(table))
        putKinds(page, table, record);
    else if (table->byKind)
        putKindTables(page, table, record);
    for (int i = 0; i < table->keyCount; i++)
        if (table->keys[i].table != NULL)
            putTable(page, table->keys[i].table, record);
    for (int i = 0; table->kindTableAt != NULL && table->keys[0].nameAt(i) != NULL; i++)
        if (palSchema_KindTable(table, i) != NULL)
            putTable(page, palSchema_KindTable(table, i), record);
}

size_t palScene_Reference(char* out, size_t size)
{
    Page page = {.out = out, .size = size};
    palScene record;
    locale_t callers = palPlainLocale_Enter();
    put(&page, "%s", opening);
    putTable(&page, palSceneSchema(), &record);
    palPlainLocale_Leave(callers);
    return page.length;
}

// SPDX-License-Identifier: Apache-2.0
#include "collide/contact_patches.h"

#include <string.h>

// Of the size of the body: positions that differ by less are the same.
static const double samePlace = 1e-7;
// Normals that differ by less belong to one patch at first.
static const double firstChord = 0.01;
// m: contacts that hold for more are alike. What ends sooner covers another by so much less, times
// the factor.
static const double holdLevels[2] = {2e-5, 1e-4};
static const double holdMost = 1e-4;
static const double holdFactor = 10.0;
static const double gapFactor = 4.0; // what does not touch yet holds for less by this times the gap

enum
{
    smallestGap = pal_patchContacts - 1, // which contact of a patch that is
};

// Directions across a normal, turned by 0.2 rad, as sides of boxes are seldom square to them: first
// those without, then those with regard to gaps, which lie between them.
static const double directions[2 * pal_patchDirections][2] = {
    {0.98006657784124163, 0.19866933079506122},   {0.55253129218685415, 0.83349215422481648},
    {-0.19866933079506111, 0.98006657784124163},  {-0.83349215422481648, 0.55253129218685404},
    {-0.98006657784124163, -0.19866933079506127}, {-0.55253129218685404, -0.83349215422481648},
    {0.19866933079506122, -0.98006657784124163},  {0.83349215422481648, -0.55253129218685415},
    {0.82943599035157356, 0.55860177041386505},   {0.19150871349532253, 0.9814909131802324},
    {-0.55860177041386516, 0.82943599035157345},  {-0.9814909131802324, 0.19150871349532236},
    {-0.82943599035157345, -0.55860177041386516}, {-0.19150871349532286, -0.98149091318023229},
    {0.55860177041386549, -0.82943599035157323},  {0.98149091318023229, -0.19150871349532292},
};

void palContactPatches_Init(palContactPatches* patches, double size, double distance, bool slides)
{
    patches->slots = slides ? pal_patchSlots : pal_patchContacts;
    patches->size = size;
    patches->distance = distance;
    patches->sameChord = firstChord;
    patches->count = 0;
    patches->last = 0;
}

static bool isSameNormal(palVec3 a, palVec3 b, double chord)
{
    return palLengthSquared(palSub(a, b)) <= chord * chord;
}

// Contacts that are equally far out are told apart by their keys.
static void offer(const palContactPatches* patches, palContactPatch* patch,
                  const palRigidContact* contact, double hold)
{
    palVec3 x = contact->onB;
    double along = palDot(patch->along, x), across = palDot(patch->across, x);
    double tie = samePlace * patches->size;
    // A contact at the limit of the distance must be half the body's size farther out.
    double weight = 0.5 * patches->size / fmax(patches->distance, tie);
    for (int i = 0; i < patches->slots; i++)
    {
        double score = -contact->gap;
        double margin = 1e-3 * tie;
        if (i != smallestGap)
        {
            const double* d =
                directions[i <= smallestGap ? i : (i - pal_patchContacts) % pal_patchDirections];
            score = d[0] * along + d[1] * across -
                    (i < pal_patchDirections ? 0.0 : weight * contact->gap);
            double most = holdLevels[i >= pal_patchContacts + pal_patchDirections];
            if (i > smallestGap)
                score += 0.5 * patches->size / most * (fmin(hold, most) - gapFactor * contact->gap);
            margin = tie;
        }
        double change = score - patch->scores[i];
        if (change > margin || (change >= -margin && contact->key < patch->contacts[i].key))
        {
            patch->scores[i] = score;
            patch->contacts[i] = *contact;
            patch->holds[i] = hold;
        }
    }
}

static void begin(palContactPatches* patches, const palRigidContact* contact, double hold)
{
    palContactPatch* patch = &patches->patches[patches->count];
    patches->last = patches->count++;
    patch->normal = contact->normal;
    palTangents(contact->normal, &patch->along, &patch->across);
    for (int i = 0; i < patches->slots; i++)
        patch->scores[i] = -INFINITY;
    offer(patches, patch, contact, hold);
}

// Doubles the difference until there is room: no two unit vectors differ by more than 2.
static void join(palContactPatches* patches)
{
    while (patches->count == pal_patchesMax)
    {
        patches->sameChord *= 2.0;
        int kept = 0;
        for (int i = 0; i < patches->count; i++)
        {
            int into = 0;
            while (into < kept && !isSameNormal(patches->patches[into].normal,
                                                patches->patches[i].normal, patches->sameChord))
                into++;
            if (into == kept)
                patches->patches[kept++] = patches->patches[i];
            else
                for (int k = 0; k < patches->slots; k++)
                    offer(patches, &patches->patches[into], &patches->patches[i].contacts[k],
                          patches->patches[i].holds[k]);
        }
        patches->count = kept;
    }
    patches->last = 0;
}

void palContactPatches_Add(palContactPatches* patches, const palRigidContact* contact, double hold)
{
    if (patches->count > 0 && isSameNormal(patches->patches[patches->last].normal, contact->normal,
                                           0.5 * patches->sameChord))
    {
        offer(patches, &patches->patches[patches->last], contact, hold);
        return;
    }
    int nearest = 0;
    double least = INFINITY;
    for (int i = 0; i < patches->count; i++)
    {
        double square = palLengthSquared(palSub(patches->patches[i].normal, contact->normal));
        if (square < least)
        {
            least = square;
            nearest = i;
        }
    }
    if (patches->count > 0 &&
        isSameNormal(patches->patches[nearest].normal, contact->normal, patches->sameChord))
    {
        patches->last = nearest;
        offer(patches, &patches->patches[nearest], contact, hold);
        return;
    }
    if (patches->count == pal_patchesMax)
        join(patches);
    begin(patches, contact, hold);
}

// A contact that was kept, to be put in order.
typedef struct Kept
{
    const palRigidContact* contact;
    double hold;  // m
    bool isExtra; // not the smallest gap of its patch
} Kept;

static bool comesBefore(const Kept* a, const Kept* b)
{
    if (a->isExtra != b->isExtra)
        return b->isExtra;
    if (a->contact->gap != b->contact->gap)
        return a->contact->gap < b->contact->gap;
    return a->contact->key < b->contact->key;
}

static void siftDown(Kept* heap, int count, int at)
{
    for (int child; (child = 2 * at + 1) < count; at = child)
    {
        if (child + 1 < count && comesBefore(&heap[child + 1], &heap[child]))
            child++;
        if (!comesBefore(&heap[child], &heap[at]))
            return;
        Kept swap = heap[at];
        heap[at] = heap[child];
        heap[child] = swap;
    }
}

// Whether a contact of the patch with a lower key is at the same place.
static bool isRepeated(const palContactPatch* patch, int i, int slots, double tie)
{
    const palRigidContact* contact = &patch->contacts[i];
    for (int k = 0; k < slots; k++)
    {
        const palRigidContact* other = &patch->contacts[k];
        if (other->key < contact->key && palDistance(other->onB, contact->onB) <= tie &&
            palDistance(other->onA, contact->onA) <= tie)
            return true;
    }
    return false;
}

enum
{
    keptMax = pal_patchesMax * pal_patchSlots,
    keyTableSize = 4096, // a power of two, more than twice keptMax
};

// Keys that were seen, in a table with open addressing; zero is none.
typedef struct KeyTable
{
    uint64_t keys[keyTableSize];
} KeyTable;

// Returns whether the key is new.
static bool remember(KeyTable* table, uint64_t key)
{
    key++;
    uint64_t at = key * 0x9e3779b97f4a7c15u >> 52;
    while (table->keys[at] != 0 && table->keys[at] != key)
        at = (at + 1) % keyTableSize;
    bool isNew = table->keys[at] == 0;
    table->keys[at] = key;
    return isNew;
}

// Contacts of which some are chosen. A motion of the bodies of up to `reach`, by translation or by
// rotation at half the size of the smaller, closes contact i by no more than contact j, and
//
//     e_ij = reach |w_i - w_j| + gap_j - gap_i      and more where j holds for less than i
//
// with w the normal and its moment over that half size. What is left out therefore overlaps, where
// those chosen do not, by its smallest e at most.
typedef struct Choice
{
    int count;
    double reach; // m
    palVec3 normals[keptMax];
    palVec3 moments[keptMax];
    double errors[keptMax]; // m: the smallest e to a chosen one; negative: chosen
} Choice;

static void listWrenches(Choice* choice, const palContactPatches* patches, const Kept* kept)
{
    palVec3 centre = pal_zeroVec3;
    for (int i = 0; i < choice->count; i++)
        centre = palMulAdd(centre, 1.0 / choice->count, kept[i].contact->onB);
    for (int i = 0; i < choice->count; i++)
    {
        palVec3 n = kept[i].contact->normal;
        choice->normals[i] = n;
        choice->moments[i] =
            palScale(1.0 / patches->size, palCross(palSub(kept[i].contact->onB, centre), n));
        choice->errors[i] = INFINITY;
    }
}

static void choose(Choice* choice, const Kept* kept, int j)
{
    for (int i = 0; i < choice->count; i++)
    {
        double square = palLengthSquared(palSub(choice->normals[i], choice->normals[j])) +
                        palLengthSquared(palSub(choice->moments[i], choice->moments[j]));
        double e = choice->reach * sqrt(square) + kept[j].contact->gap - kept[i].contact->gap +
                   holdFactor * fmax(fmin(kept[i].hold, holdMost) - kept[j].hold, 0.0);
        choice->errors[i] = fmin(choice->errors[i], e);
    }
    choice->errors[j] = -INFINITY;
}

// Moves `capacity` contacts to the front: first the one with the smallest gap, then always the one
// with the largest error. Returns how many, fewer where no error is left.
static int chooseSome(const palContactPatches* patches, int capacity, Kept* kept, int count)
{
    Choice choice = {.count = count, .reach = fmax(patches->distance, samePlace * patches->size)};
    listWrenches(&choice, patches, kept);
    int next = 0, chosen = 0;
    int order[keptMax];
    for (int i = 1; i < count; i++)
        if (kept[i].contact->gap < kept[next].contact->gap ||
            (kept[i].contact->gap == kept[next].contact->gap &&
             kept[i].contact->key < kept[next].contact->key))
            next = i;
    while (chosen < capacity && choice.errors[next] > 0.0)
    {
        order[chosen++] = next;
        choose(&choice, kept, next);
        for (int i = 0; i < count; i++)
            if (choice.errors[i] > choice.errors[next] ||
                (choice.errors[i] == choice.errors[next] &&
                 kept[i].contact->key < kept[next].contact->key))
                next = i;
    }
    Kept some[keptMax];
    for (int i = 0; i < chosen; i++)
        some[i] = kept[order[i]];
    memcpy(kept, some, (size_t)chosen * sizeof *kept);
    return chosen;
}

int palContactPatches_Write(const palContactPatches* patches, int capacity,
                            palRigidContact* contacts)
{
    Kept heap[keptMax];
    KeyTable table = {0};
    int count = 0;
    double tie = 10.0 * samePlace * patches->size;
    // The smallest gaps first: they are to be known as such.
    for (int k = 0; k < patches->slots; k++)
    {
        int i = (smallestGap + patches->slots - k) % patches->slots;
        for (int p = 0; p < patches->count; p++)
        {
            const palContactPatch* patch = &patches->patches[p];
            if (!isRepeated(patch, i, patches->slots, tie) &&
                remember(&table, patch->contacts[i].key))
                heap[count++] = (Kept){&patch->contacts[i], patch->holds[i], i != smallestGap};
        }
    }
    if (count > capacity)
        count = chooseSome(patches, capacity, heap, count);
    for (int i = count / 2 - 1; i >= 0; i--)
        siftDown(heap, count, i);
    int written = 0;
    while (count > 0)
    {
        contacts[written++] = *heap[0].contact;
        heap[0] = heap[--count];
        siftDown(heap, count, 0);
    }
    return written;
}

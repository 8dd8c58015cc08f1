// SPDX-License-Identifier: Apache-2.0
#include "base/spelling.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum
{
    longestWord = 63,
};

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

// The cost, in half edits, of replacing a by b.
static int replaceCost(char a, char b)
{
    if (a == b)
        return 0;
    return tolower((unsigned char)a) == tolower((unsigned char)b) ? 1 : 2;
}

// Damerau-Levenshtein distance (adjacent swaps, optimal alignment) in half edits.
static int wordDistance(const char* a, const char* b)
{
    int n = (int)strlen(a);
    int m = (int)strlen(b);
    if (n > longestWord || m > longestWord)
        return 4 * longestWord;
    int rows[3][longestWord + 1]; // rows i-2, i-1 and i of the table, by i modulo 3
    for (int j = 0; j <= m; j++)
        rows[0][j] = 2 * j;
    for (int i = 1; i <= n; i++)
    {
        int* current = rows[i % 3];
        const int* previous = rows[(i + 2) % 3];
        const int* beforePrevious = rows[(i + 1) % 3];
        current[0] = 2 * i;
        for (int j = 1; j <= m; j++)
        {
            int best = previous[j - 1] + replaceCost(a[i - 1], b[j - 1]);
            best = smaller(best, smaller(previous[j], current[j - 1]) + 2);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = smaller(best, beforePrevious[j - 2] + 2);
            current[j] = best;
        }
    }
    return rows[n % 3][m];
}

const char* palNearestWord(const char* word, const char* const* candidates, int count)
{
    // Similar enough: at most a third of the letters differ; one edit is always allowed.
    int length = (int)strlen(word);
    int bestDistance = 2 * (length / 3 > 0 ? length / 3 : 1) + 1;
    const char* best = NULL;
    for (int i = 0; i < count; i++)
    {
        if (candidates[i] == NULL)
            continue;
        int distance = wordDistance(word, candidates[i]);
        if (distance < bestDistance)
        {
            bestDistance = distance;
            best = candidates[i];
        }
    }
    return best;
}

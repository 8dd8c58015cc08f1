// SPDX-License-Identifier: Apache-2.0
#include "base/number.h"

#include <stdio.h>
#include <stdlib.h>

size_t palFormatNumber(double value, char out[pal_numberTextMax])
{
    // %g drops trailing zeros, so that six digits are also the shortest form of fewer; with fewer
    // it would write 100000 as 1e+05.
    int length = 0;
    for (int digits = 6; digits <= 17; digits++)
    {
        length = snprintf(out, pal_numberTextMax, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            break;
    }
    return (size_t)length;
}

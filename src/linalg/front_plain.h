// SPDX-License-Identifier: Apache-2.0
// Vectors of length one, for the scalar versions of the kernels in front_kernels.h.
#ifndef PAL_LINALG_FRONT_PLAIN_H
#define PAL_LINALG_FRONT_PLAIN_H

typedef REAL Vec;
typedef double Wide;

#define loadVec(p)       (*(p))
#define storeVec(p, v)   (*(p) = (v))
#define setVec(x)        (x)
#define addVec(a, b)     ((a) + (b))
#define subVec(a, b)     ((a) - (b))
#define mulVec(a, b)     ((a) * (b))
#define fmaVec(a, b, c)  ((a) * (b) + (c))
#define fnmaVec(a, b, c) ((c) - (a) * (b))
#define sumVec(v)        (v)

#define loadWide(p)       (*(p))
#define storeWide(p, v)   (*(p) = (v))
#define setWide(x)        (x)
#define subWide(a, b)     ((a) - (b))
#define mulWide(a, b)     ((a) * (b))
#define fmaWide(a, b, c)  ((a) * (b) + (c))
#define fnmaWide(a, b, c) ((c) - (a) * (b))

#endif

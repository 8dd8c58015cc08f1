// SPDX-License-Identifier: Apache-2.0
// The product with four vectors for AVX2 and FMA.
#include "linalg/block_many.h"

#if defined(__AVX2__) && defined(__FMA__)

#include "linalg/front_wide.h"

#include "linalg/block_four.h"

palBlockProduct* const pal_blockProductAvx2 = multiplyFour;

#else

palBlockProduct* const pal_blockProductAvx2 = NULL;

#endif

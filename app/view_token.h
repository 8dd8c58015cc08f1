// SPDX-License-Identifier: Apache-2.0
// The secret in the viewer's address, without which nobody can watch or drive. It is kept for the
// user, so that a page finds the viewer again after it was started anew.
#ifndef PAL_APP_VIEW_TOKEN_H
#define PAL_APP_VIEW_TOKEN_H

#include <palpate/base.h>

enum
{
    pal_tokenLength = 32, // hexadecimal digits: 128 bits
};

/// The user's token from $XDG_STATE_HOME/palpate/view-token (~/.local/state), or a new one, which
/// is kept there where that is possible.
palResult palViewToken_Get(char token[pal_tokenLength + 1], palError* error);

/// Compares in a time that does not tell how much is right.
bool palViewToken_IsSame(const char* token, const char* other);

#endif

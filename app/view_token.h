// SPDX-License-Identifier: Apache-2.0
// The secret in the viewer's address, required to view or drive. It is stored for the user, so that
// an open page can reconnect after the viewer was restarted.
#ifndef PAL_APP_VIEW_TOKEN_H
#define PAL_APP_VIEW_TOKEN_H

#include <palpate/base.h>

enum
{
    pal_tokenLength = 32, // hexadecimal digits: 128 bits
};

/// The user's token from $XDG_STATE_HOME/palpate/view-token (~/.local/state), or a new one, which
/// is stored there if possible.
palResult palViewToken_Get(char token[pal_tokenLength + 1], palError* error);

/// Compares in constant time.
bool palViewToken_IsSame(const char* token, const char* other);

#endif

// SPDX-License-Identifier: Apache-2.0
// A message from anyone's page: it is either refused with a reason, or what comes of it is within
// bounds. The first byte says whether it came as binary.
#include "target.h"

#include "live/message.h"

#include <stdlib.h>
#include <string.h>

static void requireSound(const palViewMessage* message)
{
    const palHandSample* hand = &message->hand;
    require(message->verb >= 0 && message->verb < pal_verbCount);
    require(memchr(message->text, '\0', sizeof message->text) != NULL);
    require(palIsFinite(hand->position) && palLength(hand->position) < 200.0);
    require(isfinite(hand->time));
    require(message->seconds >= 0.0 && message->seconds <= 1e6);
    if (message->verb == pal_verbOpen || message->verb == pal_verbReplay)
        require(strchr(message->text, '/') == NULL && message->text[0] != '.' &&
                message->text[0] != '\0');
    if (message->verb == pal_verbSet)
        require(strchr(message->text, '=') != NULL);
    if (message->verb == pal_verbStep)
        require(message->number >= 1 && message->number <= 1000);
    for (const char* c = message->text; *c != '\0'; c++)
        require((unsigned char)*c >= 0x20);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static palViewMessage message;
    const char* reason = NULL;
    if (size == 0)
        return 0;
    // A copy of its own, so that reading past its end is seen.
    unsigned char* copy = malloc(size - 1 > 0 ? size - 1 : 1);
    if (copy == NULL)
        return 0;
    memcpy(copy, data + 1, size - 1);
    bool taken = palViewMessage_Parse(copy, size - 1, data[0] % 2 == 1, &message, &reason);
    require(reason != NULL && reason[0] != '\0');
    if (taken)
        requireSound(&message);
    free(copy);
    return 0;
}

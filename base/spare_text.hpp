// Large strings that come and go with every burst of bytes. A thread keeps a few of those that are done with, so that
// moving bulk does not ask for fresh memory, and the pages behind it, again and again.
#pragma once

#include <cstddef>
#include <string>

namespace outrider {

// Gives an empty string room that is known to the processor's cache, if there is some.
void lend_room(std::string& text);
// Empties it. What it held beyond an ordinary message is kept for the next one who asks, or given back.
void return_room(std::string& text);

}  // namespace outrider

// What a body really is: https://mimesniff.spec.whatwg.org/. Servers say text/plain when they do not know, say nothing,
// or send feeds as HTML; browsers look at the first bytes, within limits that keep text from becoming script.
#pragma once

#include <string>
#include <string_view>

namespace outrider {

// The standard's "resource header": more is not looked at.
inline constexpr std::size_t kSniffBytes = 1445;

// The essence ("text/html") of the computed MIME type. `content_type` is the value of the field, empty if there is
// none; `nosniff` if X-Content-Type-Options says so; `first_bytes` are decoded (content codings are off).
std::string sniff_mime(std::string_view content_type, bool nosniff, std::string_view first_bytes);

// The patterns of section 6, in mime_patterns.cpp. Empty: none of them.
std::string_view match_image(std::string_view bytes);
std::string_view match_audio_or_video(std::string_view bytes);
std::string_view match_font(std::string_view bytes);
std::string_view match_archive(std::string_view bytes);

}  // namespace outrider

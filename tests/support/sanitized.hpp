// SPDX-License-Identifier: MIT
// Whether these tests are built with a sanitizer of addresses or threads, whose shadow takes all address space: limits on
// that are then none of the program's doing.
#pragma once

namespace lacuna::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace lacuna::test

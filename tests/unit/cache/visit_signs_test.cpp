// What browsers really send: Chromium 140 and Firefox 128 ESR, navigations and the rest.
#include "cache/visit_signs.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

RequestHead request(std::initializer_list<std::pair<std::string_view, std::string_view>> fields,
                    Method method = Method::get) {
  RequestHead head;
  head.method = method;
  for (const auto& [name, value] : fields) head.headers.add(name, value);
  return head;
}

constexpr std::string_view kHtml = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

TEST(VisitSigns, navigation_of_the_window_is_certain) {
  EXPECT_EQ(visit_signs(request({{"Sec-Fetch-Mode", "navigate"}, {"Sec-Fetch-Dest", "document"}})),
            VisitSigns::certain);
}

TEST(VisitSigns, frames_scripts_and_pictures_are_none) {
  EXPECT_EQ(visit_signs(request({{"Sec-Fetch-Mode", "navigate"}, {"Sec-Fetch-Dest", "iframe"}, {"Accept", kHtml}})),
            VisitSigns::none);
  EXPECT_EQ(visit_signs(request({{"Sec-Fetch-Mode", "cors"}, {"Sec-Fetch-Dest", "empty"}})), VisitSigns::none);
  EXPECT_EQ(visit_signs(request({{"Sec-Fetch-Mode", "no-cors"}, {"Sec-Fetch-Dest", "image"}})), VisitSigns::none);
}

TEST(VisitSigns, prefetch_is_none_however_it_is_said) {
  for (const auto* field : {"Sec-Purpose", "Purpose", "X-Moz"})
    EXPECT_EQ(
        visit_signs(request({{"Sec-Fetch-Mode", "navigate"}, {"Sec-Fetch-Dest", "document"}, {field, "prefetch"}})),
        VisitSigns::none)
        << field;
}

TEST(VisitSigns, without_fetch_metadata_a_navigation_is_possible) {
  EXPECT_EQ(visit_signs(request({{"Accept", kHtml}, {"Upgrade-Insecure-Requests", "1"}})), VisitSigns::possible);
}

TEST(VisitSigns, programs_and_scripts_without_fetch_metadata_are_none) {
  EXPECT_EQ(visit_signs(request({{"Accept", "*/*"}})), VisitSigns::none);
  EXPECT_EQ(visit_signs(request({{"Accept", kHtml}})), VisitSigns::none);
  EXPECT_EQ(visit_signs(request({{"Accept", "*/*"}, {"Upgrade-Insecure-Requests", "1"}})), VisitSigns::none);
  EXPECT_EQ(visit_signs(request({{"Accept", kHtml}, {"Upgrade-Insecure-Requests", "1"}, {"X-Requested-With", "x"}})),
            VisitSigns::none);
}

TEST(VisitSigns, a_form_that_is_posted_is_not_a_page_that_can_be_found_again) {
  EXPECT_EQ(visit_signs(request({{"Sec-Fetch-Mode", "navigate"}, {"Sec-Fetch-Dest", "document"}}, Method::post)),
            VisitSigns::none);
}

TEST(VisitSigns, redirects_are_steps_not_pages) {
  EXPECT_TRUE(shows_a_page(200));
  EXPECT_TRUE(shows_a_page(304));
  EXPECT_TRUE(shows_a_page(404));
  EXPECT_FALSE(shows_a_page(301));
  EXPECT_FALSE(shows_a_page(204));
  EXPECT_FALSE(shows_a_page(0));
}

}  // namespace
}  // namespace outrider

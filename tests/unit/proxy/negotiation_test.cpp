#include "proxy/negotiation.hpp"

#include <gtest/gtest.h>

namespace outrider {
namespace {

struct Want {
  std::string_view accept;
  AnswerForm expected;
};

class Negotiation : public testing::TestWithParam<Want> {};

// RFC 9110 section 12.5.1
TEST_P(Negotiation, AcceptDecidesTheForm) {
  EXPECT_EQ(preferred_form(GetParam().accept), GetParam().expected) << GetParam().accept;
}

INSTANTIATE_TEST_SUITE_P(
    RealClients, Negotiation,
    testing::Values(
        Want{"text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8", AnswerForm::html},
        Want{"*/*", AnswerForm::text},                                                               // curl
        Want{"", AnswerForm::text},                                                                  // none
        Want{"application/json, text/plain, */*", AnswerForm::json},                                 // axios
        Want{"application/json, text/javascript, */*; q=0.01", AnswerForm::json},                    // jQuery
        Want{"image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8", AnswerForm::text},  // <img>
        Want{"text/css,*/*;q=0.1", AnswerForm::text},
        Want{"text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", AnswerForm::html}));  // Java

INSTANTIATE_TEST_SUITE_P(
    Weights, Negotiation,
    testing::Values(
        Want{"text/html;q=0.5, application/json", AnswerForm::json},
        Want{"application/json;q=0.5, text/html;q=0.6", AnswerForm::html},
        Want{"application/json;q=0.999, text/html;q=1.000", AnswerForm::html},
        Want{"text/html, application/json", AnswerForm::html}, Want{"application/problem+json", AnswerForm::json},
        Want{"application/problem+json;q=0.9, application/json;q=0.1, text/html;q=0.5", AnswerForm::json},
        Want{"text/plain, text/html;q=0.5", AnswerForm::text}, Want{"text/plain, text/html", AnswerForm::html},
        Want{"text/plain, application/json", AnswerForm::json}, Want{"text/*, text/html;q=0.4", AnswerForm::text},
        Want{"text/plain;q=0, */*, text/html;q=0.1", AnswerForm::html},  // the more specific range decides
        Want{"text/html;q=0", AnswerForm::text}, Want{"text/html;q=0.0, application/json;q=0", AnswerForm::text},
        Want{"image/png", AnswerForm::text}));

INSTANTIATE_TEST_SUITE_P(
    Spelling, Negotiation,
    testing::Values(Want{"TEXT/HTML", AnswerForm::html}, Want{"text/html ; Q=1", AnswerForm::html},
                    Want{" , ,text/html,", AnswerForm::html}, Want{"text/html;level=1;q=0.7", AnswerForm::html},
                    Want{"text/html;x=\"a,application/json\"", AnswerForm::html}, Want{"text/htmlx", AnswerForm::text},
                    Want{"xtext/html", AnswerForm::text}, Want{"text/html;q=2", AnswerForm::text},
                    Want{"text/html;q=1.5", AnswerForm::text}, Want{"text/html;q=-1", AnswerForm::text},
                    Want{"text/html;q=0.1234", AnswerForm::text}, Want{"text/html;q=", AnswerForm::text},
                    Want{"text/html;q=0x1", AnswerForm::text}, Want{"text/html;q=1.", AnswerForm::html},
                    Want{";;;q=,,\"", AnswerForm::text}));

}  // namespace
}  // namespace outrider
